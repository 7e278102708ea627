import type { AgentRun } from '@agents/jangar-api'
import type { Demand } from '../../admission/scopes.ts'
import { runtimeRefOf } from '../../jobs/runtime-ref.ts'

/** What the run counts against in admission, as far as the run itself shows. */
export function demandOf(run: AgentRun): Demand {
  const { spec, status } = run
  const { repository = status?.vcs?.repository ?? repositoryParameter(spec) } =
    runtimeRefOf(run) ?? {}
  return { agent: spec.agentRef.name, repository }
}

function repositoryParameter({ parameters = {} }: AgentRun['spec']): string | undefined {
  const { repository, repo, issueRepository } = parameters
  return [repository, repo, issueRepository].find(
    (name) => name !== undefined && name.trim() !== '',
  )
}
