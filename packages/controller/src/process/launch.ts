import type { Manager } from './manager.ts'

/** A manager that runs inside a process that does other things too. */
export interface Launched {
  /** Resolves when caches have synced and all parts run, or when they have ended. */
  readonly ready: Promise<void>
  /** Rejects if a part fails, which stops the others too. */
  readonly ended: Promise<void>
  /** Resolves when running work is done. May be called repeatedly. */
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
  // A failure is logged by the manager, also if no caller handles it.
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
