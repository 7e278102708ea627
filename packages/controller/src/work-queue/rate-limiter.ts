/** Computes how long a key waits after a failure. */
export interface RateLimiter {
  /** Counts a failure and returns the wait in milliseconds. */
  when(key: string): number
  /** Resets the failures of the key. */
  forget(key: string): void
  /** The failures of the key since the last success. */
  failures(key: string): number
}

interface ExponentialOptions {
  /** Milliseconds after the first failure. Default 5. */
  readonly base?: number
  /** Milliseconds at most. Default 1,000 s. */
  readonly cap?: number
}

/** Doubles the wait with each failure of a key. */
export function exponentialLimiter({
  base = 5,
  cap = 1_000_000,
}: ExponentialOptions = {}): RateLimiter {
  const counts = failureCounts()
  return { ...counts, when: (key) => Math.min(base * 2 ** counts.count(key), cap) }
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
