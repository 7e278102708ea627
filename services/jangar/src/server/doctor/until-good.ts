import { type Clock, sleep } from '@agents/controller'
import type { Finding } from '../cluster-checks/finding.ts'

interface RetryOptions {
  readonly clock: Clock
  /** How long a check may be repeated. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const firstPauseMs = 500
const longestPauseMs = 5_000

/** Repeats a check with backoff while it is bad and time is left: a new release may still be starting. */
export async function untilGood(
  check: () => Promise<Finding>,
  { clock, timeoutMs, signal }: RetryOptions,
): Promise<Finding> {
  const end = clock.elapsed() + timeoutMs
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    const finding = await check()
    const left = end - clock.elapsed()
    if (finding.verdict !== 'bad' || left <= 0 || signal.aborted) return finding
    await sleep(clock, Math.min(pause, left), signal)
  }
}
