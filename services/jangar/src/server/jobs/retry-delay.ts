import { createHash } from 'node:crypto'
import type { AnyFailureClass } from './failure-class.ts'

/** Beyond this, the wait does not grow. A longer `retryBackoffSeconds` is kept as it is. */
export const longestGrowthSeconds = 3600

/**
 * How long a model may ask to wait. The report comes from the container of the agent, which could otherwise keep the
 * run and its slot for ever.
 */
export const longestRetryAfterSeconds = 3600

/** The least wait after a rate limit: an immediate retry would be refused as well. */
export const shortestRateLimitSeconds = 10

/** A failed attempt, as far as the wait for the next one depends on it. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number
  readonly retryBackoffSeconds: number
  readonly failure: AnyFailureClass
  /** What the model asked for. */
  readonly retryAfterSeconds?: number
  /** Differs between attempts of all runs, so that they do not return at the same time. */
  readonly seed: string
}

/**
 * The seconds until the next attempt: doubled with each attempt, and up to a quarter longer. Always the same for the
 * same attempt. 0: at once, if no wait is configured.
 */
export function retryDelaySeconds({
  attempt,
  retryBackoffSeconds: base,
  failure,
  retryAfterSeconds = 0,
  seed,
}: FailedAttempt): number {
  const isLimited = failure === 'RateLimited'
  const first = isLimited ? Math.max(base, shortestRateLimitSeconds) : base
  const longest = Math.max(first, longestGrowthSeconds)
  const grown = Math.min(longest, first * 2 ** Math.min(attempt - 1, 31))
  const asked = isLimited ? Math.min(retryAfterSeconds, longestRetryAfterSeconds) : 0
  return Math.max(grown, asked) * (1 + fractionOf(seed) / 4)
}

/** From 0 to less than 1. */
function fractionOf(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE() / 2 ** 32
}
