import type { AgentRun } from '@agents/jangar-api'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { IDEMPOTENCY_INDEX, idempotencyOf } from './run-indexers.ts'

/** Of runs that ask for the same thing, the oldest has it, also after it has finished. */
export function duplicateProblem(
  run: AgentRun,
  { caches }: Pick<ResolutionPorts, 'caches'>,
): Refused | undefined {
  const value = idempotencyOf(run)
  if (value === undefined) return undefined
  const first = caches.agentRuns
    .byIndex(IDEMPOTENCY_INDEX, value)
    .find((other) => isOlder(other, run))
  if (first === undefined) return undefined
  return refused(
    'DuplicateIdempotencyKey',
    `AgentRun ${first.metadata.name} of the same agent has the idempotency key ${run.spec.idempotencyKey} already; look at that one, or create another run with another key`,
  )
}

/** A total order: of two runs, always the same one is the older. */
export function isOlder({ metadata: a }: AgentRun, { metadata: b }: AgentRun): boolean {
  if (a.uid === b.uid) return false
  const times = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''] as const
  if (times[0] !== times[1]) return times[0] < times[1]
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}`
}
