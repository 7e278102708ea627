import { compareRevisions } from '../resource-version.ts'

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

export class InformerTimeoutError extends Error {
  override name = 'InformerTimeoutError'
}

/** Promises that wait for a state. */
interface Waiters {
  /** Resolves once `isDone` returns true; it is evaluated again at each `wake`. */
  until(isDone: () => boolean, what: string, options: WaitOptions): Promise<void>
  wake(): void
  /** Rejects all pending and future waits. */
  fail(error: Error): void
}

export function createWaiters(): Waiters {
  const waiting = new Set<{
    isDone: () => boolean
    resolve: () => void
    reject: (e: Error) => void
  }>()
  let failure: Error | undefined
  return {
    until: (isDone, what, { signal, timeoutMs }) => {
      if (isDone()) return Promise.resolve()
      if (failure !== undefined) return Promise.reject(failure)
      if (signal?.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const settle = (finish: () => void) => (): void => {
          waiting.delete(entry)
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          finish()
        }
        const entry = {
          isDone,
          resolve: settle(resolve),
          reject: (error: Error) => settle(() => reject(error))(),
        }
        const onAbort = settle(() => reject(signal?.reason))
        const onTimeout = (): void =>
          entry.reject(new InformerTimeoutError(`${what} not within ${timeoutMs} ms`))
        const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
        signal?.addEventListener('abort', onAbort, { once: true })
        waiting.add(entry)
      })
    },
    wake: () => {
      for (const entry of waiting) if (entry.isDone()) entry.resolve()
    },
    fail: (error) => {
      failure = error
      for (const entry of waiting) entry.reject(error)
    },
  }
}

export function hasReached(current: string | undefined, wanted: string): boolean {
  return current !== undefined && compareRevisions(current, wanted) >= 0
}
