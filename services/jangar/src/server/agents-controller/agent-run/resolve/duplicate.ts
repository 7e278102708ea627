import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { idempotencyIndex, idempotencyOf } from './run-indexers.ts'

/**
 * Refuses all but one of the runs with the same idempotency key: the admitted one owns the key, else the accepted one,
 * else the oldest, even after it has finished. An admitted run is not checked again, because its next attempt is not a
 * second request.
 */
export function duplicateProblem(
  run: AgentRun,
  { caches, claims }: Pick<ResolutionPorts, 'caches' | 'claims'>,
): Refused | undefined {
  const value = idempotencyOf(run)
  if (value === undefined || isTrue(run, 'Admitted')) return undefined
  const all = caches.agentRuns.byIndex(idempotencyIndex, value)
  const arrived = all.findIndex(({ metadata }) => metadata.uid === run.metadata.uid)
  const owner = claims?.ownerOf(value)
  const first = all.find(
    (other, at) => at !== arrived && goesFirst(other, run, at < arrived, owner),
  )
  if (first === undefined) {
    claims?.claim(run, value)
    return undefined
  }
  return refused(
    'DuplicateIdempotencyKey',
    `AgentRun ${first.metadata.name} of the same agent already has the idempotency key ${run.spec.idempotencyKey}; use that run, or create a run with another key`,
  )
}

/**
 * An accepted run may be executing for seconds before the cache shows it, so `owner` is the run that claimed the key in
 * this process: another run may have an earlier timestamp if the clocks of API servers differ. Timestamps have a
 * resolution of one second; ties are broken by the order in which the cache saw the runs. A restart loses both, but not
 * the Accepted condition.
 */
function goesFirst(
  other: AgentRun,
  run: AgentRun,
  arrivedBefore: boolean,
  owner: string | undefined,
): boolean {
  if (conditionOf(other, 'Accepted')?.reason === 'DuplicateIdempotencyKey') return false
  const merits: ((one: AgentRun) => boolean)[] = [
    (one) => isTrue(one, 'Admitted'),
    (one) => isTrue(one, 'Accepted'),
    ({ metadata }) => formatKey(metadata) === owner,
  ]
  const telling = merits.find((has) => has(other) !== has(run))
  if (telling) return telling(other)
  const times = [createdAt(other), createdAt(run)] as const
  return times[0] === times[1] ? arrivedBefore : times[0] < times[1]
}

function createdAt({ metadata }: AgentRun): string {
  return metadata.creationTimestamp ?? ''
}

/** Total order over runs: by creation time, then by namespace and name. */
export function isOlder(one: AgentRun, other: AgentRun): boolean {
  const [a, b] = [one.metadata, other.metadata]
  if (a.uid === b.uid) return false
  const times = [createdAt(one), createdAt(other)] as const
  if (times[0] !== times[1]) return times[0] < times[1]
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}`
}
