import type { Clock } from '../clock/clock.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Waits as long as the slowest of the limiters says. */
export function slowestOf(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(0, ...limiters.map((limiter) => limiter.when(key))),
    forget: (key) => {
      for (const limiter of limiters) limiter.forget(key)
    },
    failures: (key) => Math.max(0, ...limiters.map((limiter) => limiter.failures(key))),
  }
}

/** Never waits longer than `cap` milliseconds. */
export function atMost(limiter: RateLimiter, cap: number): RateLimiter {
  return { ...limiter, when: (key) => Math.min(limiter.when(key), cap) }
}

/** One bucket for all keys: `burst` retries at once, then `perSecond`. Each call books its place, so waits add up. */
export function bucketLimiter(
  clock: Pick<Clock, 'elapsed'>,
  perSecond: number,
  burst: number,
): RateLimiter {
  let tokens = burst
  let filledAt = clock.elapsed()
  return {
    when: () => {
      const now = clock.elapsed()
      tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000) - 1
      filledAt = now
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
    },
    forget: () => undefined,
    failures: () => 0,
  }
}
