import { formatKey, type KubeObject } from '@agents/kube'
import { conditionOf, isTrue } from './condition-of.ts'
import type { ClaimingRun, RunClaims } from './run-claims.ts'

/** Runs that were created by the same request. */
interface SameRequest<Run extends ClaimingRun> {
  /** In the order in which the cache saw them, with the run itself. */
  readonly runs: readonly Run[]
  /** What identifies the request. */
  readonly value: string
  /** If omitted, an owner is found in the status of other runs only. */
  readonly claims?: RunClaims | undefined
  /** The reason of Accepted for a run that was refused as a duplicate. */
  readonly refusal: string
}

/**
 * The run that owns the request, if it is not this one: of the runs with the same key the admitted one, else the
 * accepted one, else the oldest, even after it has finished. An admitted run is not checked again, because its next
 * attempt is not a second request.
 */
export function earlierRequest<Run extends ClaimingRun>(
  run: Run,
  { runs, value, claims, refusal }: SameRequest<Run>,
): Run | undefined {
  if (isTrue(run, 'Admitted')) return undefined
  const arrived = runs.findIndex(({ metadata }) => metadata.uid === run.metadata.uid)
  const owner = claims?.ownerOf(value)
  const first = runs
    .filter((other) => conditionOf(other, 'Accepted')?.reason !== refusal)
    .find((other) => {
      const at = runs.indexOf(other)
      return at !== arrived && goesFirst(other, run, at < arrived, owner)
    })
  if (first === undefined) claims?.claim(run, value)
  return first
}

/**
 * An accepted run may be executing for seconds before the cache shows it, so `owner` is the run that claimed the key in
 * this process: another run may have an earlier timestamp if the clocks of API servers differ. Timestamps have a
 * resolution of one second; ties are broken by the order in which the cache saw the runs. A restart loses both, but not
 * the Accepted condition.
 */
function goesFirst(
  other: KubeObject,
  run: KubeObject,
  arrivedBefore: boolean,
  owner: string | undefined,
): boolean {
  const merits: ((one: KubeObject) => boolean)[] = [
    (one) => isTrue(one, 'Admitted'),
    (one) => isTrue(one, 'Accepted'),
    ({ metadata }) => formatKey(metadata) === owner,
  ]
  const telling = merits.find((has) => has(other) !== has(run))
  if (telling) return telling(other)
  const times = [createdAt(other), createdAt(run)] as const
  return times[0] === times[1] ? arrivedBefore : times[0] < times[1]
}

export function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? ''
}
