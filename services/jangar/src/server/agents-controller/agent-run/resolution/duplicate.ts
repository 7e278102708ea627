import type { AgentRun } from '@agents/jangar-api'
import { conditionOf, isTrue } from '../gates/condition-of.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { IDEMPOTENCY_INDEX, idempotencyOf } from './run-indexers.ts'

/**
 * Of runs that ask for the same thing, the one that was accepted has it, else the oldest; also after it has finished. A run that
 * has its place is not asked any more: its next attempt is no second request.
 */
export function duplicateProblem(
  run: AgentRun,
  { caches }: Pick<ResolutionPorts, 'caches'>,
): Refused | undefined {
  const value = idempotencyOf(run)
  if (value === undefined || isTrue(run, 'Admitted')) return undefined
  const all = caches.agentRuns.byIndex(IDEMPOTENCY_INDEX, value)
  const arrived = all.findIndex(({ metadata }) => metadata.uid === run.metadata.uid)
  const first = all.find((other, at) => at !== arrived && goesFirst(other, run, at < arrived))
  if (first === undefined) return undefined
  return refused(
    'DuplicateIdempotencyKey',
    `AgentRun ${first.metadata.name} of the same agent has the idempotency key ${run.spec.idempotencyKey} already; look at that one, or create another run with another key`,
  )
}

/**
 * Requests that follow each other within a second are told apart by when the cache has seen them: their times are the same, and
 * the first of them may be at work before the second comes. After a restart that is forgotten, but not who was accepted.
 */
function goesFirst(other: AgentRun, run: AgentRun, arrivedBefore: boolean): boolean {
  if (conditionOf(other, 'Accepted')?.reason === 'DuplicateIdempotencyKey') return false
  const accepted = [isTrue(other, 'Accepted'), isTrue(run, 'Accepted')] as const
  if (accepted[0] !== accepted[1]) return accepted[0]
  const times = [createdAt(other), createdAt(run)] as const
  return times[0] === times[1] ? arrivedBefore : times[0] < times[1]
}

function createdAt({ metadata }: AgentRun): string {
  return metadata.creationTimestamp ?? ''
}

/** A total order: of two runs, always the same one is the older. */
export function isOlder(one: AgentRun, other: AgentRun): boolean {
  const [a, b] = [one.metadata, other.metadata]
  if (a.uid === b.uid) return false
  const times = [createdAt(one), createdAt(other)] as const
  if (times[0] !== times[1]) return times[0] < times[1]
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}`
}
