import type { Clock } from '@agents/controller'
import { ApiError } from '../api/api-error.ts'

export interface RateLimits {
  /** Requests a second of one user, over time. */
  readonly perSecond?: number
  /** Requests of one user that may come together after a pause. */
  readonly burst?: number
}

interface Bucket {
  left: number
  filledAt: number
}

/** So many users are remembered before those that have paused are forgotten. */
const sweepAbove = 1_000

/** Limits how often each user asks, so that one user leaves the others their share of the process. */
export class RequestRate {
  readonly #clock: Clock
  readonly #perSecond: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()
  #sweepAt = sweepAbove

  constructor(clock: Clock, { perSecond = 100, burst = 500 }: RateLimits = {}) {
    this.#clock = clock
    this.#perSecond = perSecond
    this.#burst = burst
  }

  /** Counts a request. Throws if the user has sent too many. */
  count(user: string | undefined): void {
    if (user === undefined) return
    const bucket = this.#filled(user)
    if (bucket.left < 1) {
      const waitMs = ((1 - bucket.left) / this.#perSecond) * 1000
      const message = `${user} sends more than ${this.#perSecond} requests a second`
      throw new ApiError('TooManyRequests', message, { retryAfterMs: waitMs })
    }
    bucket.left -= 1
  }

  #filled(user: string): Bucket {
    const now = this.#clock.elapsed()
    const known = this.#buckets.get(user)
    if (known === undefined) {
      const bucket = { left: this.#burst, filledAt: now }
      if (this.#buckets.size >= this.#sweepAt) this.#forgetFull(now)
      this.#buckets.set(user, bucket)
      return bucket
    }
    known.left = this.#leftOf(known, now)
    known.filledAt = now
    return known
  }

  #leftOf({ left, filledAt }: Bucket, now: number): number {
    const passedMs = Math.max(0, now - filledAt)
    return Math.min(this.#burst, left + (passedMs / 1000) * this.#perSecond)
  }

  #forgetFull(now: number): void {
    for (const [user, bucket] of this.#buckets) {
      if (this.#leftOf(bucket, now) >= this.#burst) this.#buckets.delete(user)
    }
    this.#sweepAt = Math.max(sweepAbove, this.#buckets.size * 2)
  }
}
