/** Says how long a key has to wait after one more failure. */
export interface RateLimiter {
  /** Counts a failure and answers with the wait in milliseconds. */
  when(key: string): number
  /** The key is well again. */
  forget(key: string): void
  /** Failures since it was last well. */
  failures(key: string): number
}

export interface ExponentialOptions {
  /** Milliseconds after the first failure. Default 5. */
  readonly base?: number
  /** Milliseconds at most. Default 1,000 s. */
  readonly cap?: number
}

/** Doubles the wait with each failure of the same key. */
export function exponentialLimiter({
  base = 5,
  cap = 1_000_000,
}: ExponentialOptions = {}): RateLimiter {
  const counts = failureCounts()
  return { ...counts, when: (key) => Math.min(base * 2 ** counts.count(key), cap) }
}

/** Tries `fastTries` times after `fast` milliseconds, then only every `slow`. */
export function fastSlowLimiter(fast: number, slow: number, fastTries: number): RateLimiter {
  const counts = failureCounts()
  return { ...counts, when: (key) => (counts.count(key) < fastTries ? fast : slow) }
}

interface FailureCounts {
  /** Failures before this one. */
  count(key: string): number
  forget(key: string): void
  failures(key: string): number
}

function failureCounts(): FailureCounts {
  const failed = new Map<string, number>()
  return {
    count: (key) => {
      const before = failed.get(key) ?? 0
      failed.set(key, before + 1)
      return before
    },
    forget: (key) => void failed.delete(key),
    failures: (key) => failed.get(key) ?? 0,
  }
}
