import type { Clock } from '../client/clock.ts'

export interface BackoffOptions {
  readonly baseMs: number
  readonly maxMs: number
  /** This long without a failure, and the next one counts as the first. */
  readonly resetAfterMs: number
}

export const defaultBackoff: BackoffOptions = {
  baseMs: 800,
  maxMs: 30_000,
  resetAfterMs: 120_000,
}

export interface Backoff {
  /** How long to wait now that something failed: up to twice the nominal delay, by chance. */
  next(): number
}

export function createBackoff(options: BackoffOptions, clock: Clock): Backoff {
  let failures = 0
  let lastFailure = Number.NEGATIVE_INFINITY
  return {
    next: () => {
      const now = clock.now()
      if (now - lastFailure > options.resetAfterMs) failures = 0
      lastFailure = now
      const nominal = Math.min(options.maxMs, options.baseMs * 2 ** failures)
      failures++
      return nominal * (1 + clock.random())
    },
  }
}
