import { type Informers, InformerTimeoutError } from '@agents/kube'
import type { Logger } from '@agents/log'
import { whenAborted } from '../abort/when-aborted.ts'
import type { Runnable } from './runnable.ts'

/**
 * Started when every cache has seen what is there, however long that takes: kinds may be installed after the process, and a
 * process that gave up would only be started again to wait.
 */
export function filledCaches(
  informers: Pick<Informers, 'all' | 'waitForSync' | 'stop'>,
  log: Logger,
  { isShared }: { readonly isShared: boolean },
): Runnable {
  return {
    name: 'caches',
    start: async (signal) => {
      let tellAfterMs = 2_000
      while (!(await areFilled(informers, signal, tellAfterMs))) {
        if (signal.aborted) return
        tellAfterMs = 30_000
        const waitsFor = informers
          .all()
          .filter((informer) => !informer.hasSynced())
          .map(({ kind }) => (kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`))
        log.warn(
          'waiting for kinds that the API server does not serve, or does not let us watch; are the CRDs installed?',
          { kinds: [...new Set(waitsFor)] },
        )
      }
    },
    run: async (signal) => {
      await whenAborted(signal)
      if (!isShared) await informers.stop()
    },
  }
}

async function areFilled(
  informers: Pick<Informers, 'waitForSync'>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<boolean> {
  try {
    await informers.waitForSync({ signal, timeoutMs })
    return true
  } catch (error) {
    if (signal.aborted || error instanceof InformerTimeoutError) return false
    throw error
  }
}
