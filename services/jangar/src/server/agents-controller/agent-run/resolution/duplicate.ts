import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { conditionOf, isTrue } from '../gates/condition-of.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts } from './resolution.ts'
import { IDEMPOTENCY_INDEX, idempotencyOf } from './run-indexers.ts'

/**
 * Of runs that ask for the same thing, the one that has its place has it, else the one that was accepted, else the oldest; also
 * after it has finished. A run that has its place is not asked any more: its next attempt is no second request.
 */
export function duplicateProblem(
  run: AgentRun,
  { caches, claims }: Pick<ResolutionPorts, 'caches' | 'claims'>,
): Refused | undefined {
  const value = idempotencyOf(run)
  if (value === undefined || isTrue(run, 'Admitted')) return undefined
  const all = caches.agentRuns.byIndex(IDEMPOTENCY_INDEX, value)
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
    `AgentRun ${first.metadata.name} of the same agent has the idempotency key ${run.spec.idempotencyKey} already; look at that one, or create another run with another key`,
  )
}

/**
 * Who was accepted may be at work for seconds before the cache shows it, which is what `owner` is for: by then another may come
 * whose time is earlier, of a server whose clock is behind. Requests within a second have the same time, and are told apart by
 * when the cache has seen them. After a restart both are forgotten, but not who was accepted.
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

/** A total order: of two runs, always the same one is the older. */
export function isOlder(one: AgentRun, other: AgentRun): boolean {
  const [a, b] = [one.metadata, other.metadata]
  if (a.uid === b.uid) return false
  const times = [createdAt(one), createdAt(other)] as const
  if (times[0] !== times[1]) return times[0] < times[1]
  return `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}`
}
