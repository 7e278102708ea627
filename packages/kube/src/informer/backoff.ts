import type { Pacing } from '../clock/pacing.ts'

export interface BackoffOptions {
  readonly baseMs: number
  readonly maxMs: number
  /** A failure after this long without one counts as the first. */
  readonly resetAfterMs: number
}

export const defaultBackoff: BackoffOptions = {
  baseMs: 800,
  maxMs: 30_000,
  resetAfterMs: 120_000,
}

interface Backoff {
  /** Counts a failure and returns the delay: the nominal one or, with jitter, up to twice as long. */
  next(): number
}

export function createBackoff(options: BackoffOptions, { clock, random }: Pacing): Backoff {
  let failures = 0
  let lastFailure = Number.NEGATIVE_INFINITY
  return {
    next: () => {
      const now = clock.elapsed()
      if (now - lastFailure > options.resetAfterMs) failures = 0
      lastFailure = now
      const nominal = Math.min(options.maxMs, options.baseMs * 2 ** failures)
      failures++
      return nominal * (1 + random())
    },
  }
}
