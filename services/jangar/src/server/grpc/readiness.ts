import { askHealth, type Clock, type HealthCheck, sleep, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'

export interface ReadinessOptions {
  readonly checks: Readonly<Record<string, HealthCheck>>
  /** Whoever is asked to stop is not ready any more. */
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  /** Between two looks on behalf of those who watch. Default 1 s. */
  readonly intervalMs?: number
  /** For all checks of one look. Default 5 s. */
  readonly timeoutMs?: number
}

export interface Readiness {
  isReady(): Promise<boolean>
  /** What is, then each change, until the signal. However many watch, the checks are asked once an interval. */
  changes(signal: AbortSignal): AsyncGenerator<boolean, void>
}

/** Whether the process can do its work, by the same checks as `/readyz`. */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { stopping, clock, intervalMs = 1_000 } = options
  const look = lookWith(options)
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  const isReady = async (): Promise<boolean> => {
    if (stopping.aborted) return false
    const now = clock.elapsed()
    if (last === undefined || now - last.at >= intervalMs / 2) last = { at: now, answer: look() }
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

function lookWith({ checks, log, timeoutMs = 5_000 }: ReadinessOptions): () => Promise<boolean> {
  const named = new Map(Object.entries(checks))
  // At first nobody expects it to be ready, and later a change is said once.
  let wasReady = false
  return async () => {
    const { code } = await askHealth(
      named,
      { endpoint: 'grpc' },
      AbortSignal.timeout(timeoutMs),
      (check, error) => {
        if (wasReady) log.warn('not ready any more', { check, error })
      },
    )
    wasReady = code === 200
    return wasReady
  }
}
