import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { Demand } from '../../admission/scopes.ts'
import type { AgentsCaches } from '../../caches/agents-caches.ts'
import { runtimeRefOf } from '../../jobs/runtime-ref.ts'
import { isExclusive, workspacesOf } from '../../primitives-policy/workspaces.ts'

type WorkspaceCaches = { readonly workspaces: Pick<AgentsCaches['workspaces'], 'get'> }

/** What the run counts against in admission, as far as the run itself shows. */
export function demandOf(run: AgentRun, caches: WorkspaceCaches): Demand {
  const { spec, status } = run
  const { repository = status?.vcs?.repository ?? repositoryParameter(spec) } =
    runtimeRefOf(run) ?? {}
  return { agent: spec.agentRef.name, repository, workspaces: exclusiveWorkspaces(run, caches) }
}

/** The Workspaces of the run that no other run may use meanwhile. */
export function exclusiveWorkspaces(run: AgentRun, { workspaces }: WorkspaceCaches): string[] {
  const { namespace } = run.metadata
  return workspacesOf(run).filter((name) =>
    isExclusive(workspaces.get(formatKey({ namespace, name }))),
  )
}

function repositoryParameter({ parameters = {} }: AgentRun['spec']): string | undefined {
  const { repository, repo, issueRepository } = parameters
  return [repository, repo, issueRepository].find(
    (name) => name !== undefined && name.trim() !== '',
  )
}
