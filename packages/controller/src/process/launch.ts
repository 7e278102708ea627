import type { Manager } from './manager.ts'

/** The parts of a manager, at work inside a process that does other things too. */
export interface Launched {
  /** Everything that is there has been seen, and all parts are at work; or they have ended. */
  readonly ready: Promise<void>
  /** Rejects when a part fails, which ends the others too. */
  readonly ended: Promise<void>
  /** Resolves when what was under way is done. Harmless to repeat. */
  stop(): Promise<void>
}

/** Starts a manager to which all parts have been added. */
export function launch(manager: Manager): Launched {
  const stopping = new AbortController()
  const launched = new Promise<void>((resolve) => {
    manager.add('leading', {
      name: 'readiness',
      start: async () => resolve(),
      run: async () => undefined,
    })
  })
  const ended = manager.run(stopping.signal)
  // Whoever does not look at it is told by the log.
  ended.catch(() => undefined)
  const ready = Promise.race([launched, ended])
  ready.catch(() => undefined)
  return {
    ready,
    ended,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
