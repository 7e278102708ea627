import { type Informers, InformerTimeoutError } from '@agents/kube'
import type { Logger } from '@agents/log'
import { whenAborted } from '../abort/when-aborted.ts'
import type { Runnable } from './runnable.ts'

/**
 * Starts when all caches have synced, however long that takes: CRDs may be installed after the process starts, and a
 * process that gave up would only be restarted.
 */
export function filledCaches(
  informers: Pick<Informers, 'all' | 'waitForSync' | 'stop'>,
  log: Logger,
  { isShared }: { readonly isShared: boolean },
): Runnable {
  return {
    name: 'caches',
    start: async (signal) => {
      let logAfterMs = 2_000
      while (!(await areFilled(informers, signal, logAfterMs))) {
        if (signal.aborted) return
        logAfterMs = 30_000
        const waitsFor = informers
          .all()
          .filter((informer) => !informer.hasSynced())
          .map(({ kind }) => (kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`))
        log.warn(
          'waiting for caches: kinds not served, or not allowed to watch; check CRDs and RBAC',
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
