import type { AgentRun } from '@agents/jangar-api'
import type { Condition } from '@agents/kube'
import { runtimeRefOf } from '../runtime/runtime-ref.ts'
import type { Waiting } from './admission-answer.ts'
import type { Demand } from './scopes.ts'

/** When the run was given its place, in milliseconds since 1970; undefined if it has none. */
export function admittedAt(run: AgentRun): number | undefined {
  const admitted = conditionOf(run, 'Admitted')
  return admitted?.status === 'True' ? Date.parse(admitted.lastTransitionTime) : undefined
}

/** Whether the last look at the run left it waiting for a place. */
export function waitsForPlace(run: AgentRun): boolean {
  const admitted = conditionOf(run, 'Admitted')
  return admitted?.status === 'False' && waitingReasons.has(admitted.reason) && !asksNoMore(run)
}

/** Whether a run without a place has no use for one, at least for now. */
export function asksNoMore(run: AgentRun): boolean {
  return (
    run.metadata.deletionTimestamp !== undefined || run.spec.cancel === true || !isAcceptable(run)
  )
}

export function isAcceptable(run: AgentRun): boolean {
  return conditionOf(run, 'Accepted')?.status !== 'False'
}

/** What the run takes its place from, as far as the run itself shows. */
export function demandOf(run: AgentRun): Demand {
  const { spec, status } = run
  const { repository = status?.vcs?.repository ?? named(spec) } = runtimeRefOf(run) ?? {}
  return { agent: spec.agentRef.name, repository }
}

function named({ parameters = {} }: AgentRun['spec']): string | undefined {
  const { repository, repo, issueRepository } = parameters
  return [repository, repo, issueRepository].find(
    (name) => name !== undefined && name.trim() !== '',
  )
}

function conditionOf(run: AgentRun, type: string): Condition | undefined {
  const conditions = run.status?.conditions as readonly Condition[] | undefined
  return conditions?.find((condition) => condition.type === type)
}

const waitingReasons: ReadonlySet<string> = new Set<Waiting['reason']>([
  'Queued',
  'ConcurrencyLimit',
  'QueueLimit',
  'RateLimited',
])
