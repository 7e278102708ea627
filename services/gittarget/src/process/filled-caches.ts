import type { Runnable } from '@agents/controller'
import { type Informers, InformerTimeoutError } from '@agents/kube'
import type { Logger } from '@agents/log'

const TELL_AFTER_MS = 5_000

/** Started when every cache has seen what is there, however long that takes: kinds may be installed after the process. */
export function filledCaches(
  informers: Pick<Informers, 'all' | 'waitForSync' | 'stop'>,
  log: Logger,
): Runnable {
  return {
    name: 'caches',
    start: async (signal) => {
      while (!(await areFilled(informers, signal))) {
        if (signal.aborted) return
        const behind = informers.all().filter((informer) => !informer.hasSynced())
        log.warn('waiting for kinds that are not served, or may not be watched', {
          kinds: behind.map(({ kind }) => kind.plural),
        })
      }
    },
    run: async (signal) => {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await informers.stop()
    },
  }
}

async function areFilled(
  informers: Pick<Informers, 'waitForSync'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await informers.waitForSync({ signal, timeoutMs: TELL_AFTER_MS })
    return true
  } catch (error) {
    if (signal.aborted || error instanceof InformerTimeoutError) return false
    throw error
  }
}
