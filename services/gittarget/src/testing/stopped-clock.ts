import type { Clock } from '@agents/controller'

/** A clock that only advances when the test calls `pass`. */
interface StoppedClock extends Clock {
  /** Advances the time and runs due timers. Resolves after their immediate effects. */
  pass(ms: number): Promise<void>
}

export function stoppedClock(): StoppedClock {
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

export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
