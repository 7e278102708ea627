import { askHealth, type Clock, type HealthCheck, sleep, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'

export interface ReadinessOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** Once aborted, the process is not ready. */
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  /** Interval between checks for watches. Default 1 s. */
  readonly intervalMs?: number
  /** Time limit for all checks together. Default 5 s. */
  readonly timeoutMs?: number
}

export interface Readiness {
  isReady(): Promise<boolean>
  /**
   * Yields the current state and then each change until the signal is aborted. All watchers share one evaluation per
   * interval.
   */
  changes(signal: AbortSignal): AsyncGenerator<boolean, void>
}

/** Whether the process can work, determined by the same checks as `/readyz`. */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { stopping, clock, intervalMs = 1_000 } = options
  const evaluate = createCheck(options)
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  const isReady = async (): Promise<boolean> => {
    if (stopping.aborted) return false
    const now = clock.elapsed()
    if (last === undefined || now - last.at >= intervalMs / 2)
      last = { at: now, answer: evaluate() }
    return (await last.answer) && !stopping.aborted
  }
  return {
    isReady,
    changes: async function* (signal) {
      let known: boolean | undefined
      const woken = AbortSignal.any([signal, stopping])
      while (!woken.aborted) {
        const ready = await isReady()
        if (signal.aborted) return
        if (ready !== known) yield ready
        known = ready
        await sleep(clock, intervalMs, woken)
      }
      if (signal.aborted) return
      if (known !== false) yield false
      await whenAborted(signal)
    },
  }
}

function createCheck({ checks, log, timeoutMs = 5_000 }: ReadinessOptions): () => Promise<boolean> {
  const named = new Map(Object.entries(checks))
  // A process is not ready at first, which is not logged.
  let wasReady = false
  return async () => {
    const { code } = await askHealth(
      named,
      { endpoint: 'grpc' },
      AbortSignal.timeout(timeoutMs),
      (check, error) => {
        if (wasReady) log.warn('no longer ready', { check, error })
      },
    )
    wasReady = code === 200
    return wasReady
  }
}
