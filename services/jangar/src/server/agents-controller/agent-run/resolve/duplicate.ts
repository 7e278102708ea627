import type { AgentRun } from '@agents/jangar-api'
import { createdAt, earlierRequest } from '../../../kubernetes/duplicate-request.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { idempotencyIndex, idempotencyOf } from './run-indexers.ts'

/** Refuses all but one of the runs with the same idempotency key. */
export function duplicateProblem(
  run: AgentRun,
  { caches, claims }: Pick<ResolutionPorts, 'caches' | 'claims'>,
): Refused | undefined {
  const value = idempotencyOf(run)
  if (value === undefined) return undefined
  const runs = caches.agentRuns.byIndex(idempotencyIndex, value)
  const refusal = 'DuplicateIdempotencyKey'
  const first = earlierRequest(run, { runs, value, claims, refusal })
  if (first === undefined) return undefined
  return refused(
    refusal,
    `AgentRun ${first.metadata.name} of the same agent already has the idempotency key ${run.spec.idempotencyKey}; use that run, or create a run with another key`,
  )
}

/** Total order over runs: by creation time, then by namespace and name. */
export function isOlder(one: AgentRun, other: AgentRun): boolean {
  const [a, b] = [one.metadata, other.metadata]
  if (a.uid === b.uid) return false
  const times = [createdAt(one), createdAt(other)] as const
  if (times[0] !== times[1]) return times[0] < times[1]
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}`
}
