/** Time as an argument: what a person reads, what durations are measured with, and being woken later. */
export interface Clock {
  /** The wall clock. It may jump, so nothing is ever measured with it. */
  now(): Date
  /** Milliseconds since an arbitrary moment; never goes back, never jumps. */
  elapsed(): number
  /** Calls back once, unless cancelled before. The returned function cancels. */
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

/** Node runs timers beyond 2^31 ms at once instead of late; whoever sleeps that long looks again after waking. */
const longestTimeout = 2 ** 31 - 1

/** Resolves after the time, or as soon as the signal says stop; never rejects. */
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
