import type { Pod } from '@agents/kube'
import { outcomeOf } from './tracked-job.ts'

export interface JobBackoff {
  /** Wait after the first failure; doubles with each failure since the last success. */
  readonly baseMs: number
  readonly capMs: number
}

export const defaultJobBackoff: JobBackoff = { baseMs: 10_000, capMs: 600_000 }

/**
 * Milliseconds until the next attempt may start. Derived from the pods, so that a restart does not shorten it. Pods
 * have whole seconds only, so a more precise time of the last failure is used if it is known.
 */
export function backoffLeft(
  pods: readonly Pod[],
  now: Date,
  backoff: JobBackoff,
  lastSeenFailure = 0,
): number {
  const ended = pods
    .filter((pod) => outcomeOf(pod) !== undefined)
    .map((pod) => ({ outcome: outcomeOf(pod), at: endOf(pod) }))
    .sort((a, b) => a.at - b.at)
  const lastSuccess = ended.findLastIndex(({ outcome }) => outcome === 'succeeded')
  const failures = ended.slice(lastSuccess + 1)
  const last = failures.at(-1)
  if (last === undefined) return 0
  const pause = Math.min(backoff.baseMs * 2 ** (failures.length - 1), backoff.capMs)
  return Math.max(0, Math.max(last.at, lastSeenFailure) + pause - now.getTime())
}

function endOf({ metadata, status }: Pod): number {
  const times = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''))
    .filter((time) => !Number.isNaN(time))
  if (times.length > 0) return Math.max(...times)
  return Date.parse(metadata.deletionTimestamp ?? metadata.creationTimestamp ?? '') || 0
}
