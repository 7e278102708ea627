import { type Clock, sleep } from '@agents/controller'
import type { Finding } from './finding.ts'

export interface Patience {
  readonly clock: Clock
  /** For this long a check may be repeated. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const firstPauseMs = 500
const longestPauseMs = 5_000

/** Asks again while the answer is bad and there is time: what has just been installed may still be coming up. */
export async function untilGood(
  check: () => Promise<Finding>,
  { clock, timeoutMs, signal }: Patience,
): Promise<Finding> {
  const end = clock.elapsed() + timeoutMs
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    const finding = await check()
    const left = end - clock.elapsed()
    if (finding.verdict !== 'bad' || left <= 0 || signal.aborted) return finding
    await sleep(clock, Math.min(pause, left), signal)
  }
}
