/** Time as an argument: the wall clock, a monotonic clock, and timers. */
export interface Clock {
  /** The wall clock. It may jump, so durations are never measured with it. */
  now(): Date
  /** Milliseconds since an arbitrary moment. Monotonic. */
  elapsed(): number
  /** Calls `action` once after this time. The returned function cancels. */
  after(milliseconds: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(Math.max(milliseconds, 0), longestTimeout))
    return () => clearTimeout(timer)
  },
}

/**
 * Node fires timers beyond 2^31 ms at once instead of late; a caller that waits longer checks the time after waking.
 */
const longestTimeout = 2 ** 31 - 1

/** Resolves after the time, or as soon as the signal is aborted; never rejects. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve()
      return
    }
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(milliseconds, wake)
    signal?.addEventListener('abort', wake, { once: true })
  })
}
