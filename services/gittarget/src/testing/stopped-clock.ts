import type { Clock } from '@agents/controller'

/** Time that passes when the test says so. */
export interface StoppedClock extends Clock {
  /** Resolves when what was due has been done, as far as it waits for nothing else. */
  pass(ms: number): Promise<void>
}

export const stoppedClock = (): StoppedClock => {
  let now = 0
  const timers = new Set<{ at: number; action: () => void }>()
  return {
    now: () => new Date(now),
    elapsed: () => now,
    after: (ms, action) => {
      const timer = { at: now + ms, action }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async pass(ms) {
      now += ms
      for (const timer of [...timers]) {
        if (timer.at > now) continue
        timers.delete(timer)
        timer.action()
      }
      await settled()
    },
  }
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
