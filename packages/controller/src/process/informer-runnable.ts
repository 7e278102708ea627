import type { Informers } from '@agents/kube'
import { whenAborted } from '../abort/when-aborted.ts'
import type { HealthCheck } from './health-checks.ts'
import type { Runnable } from './runnable.ts'

/** The caches of a process: started when all have synced, stopped after everybody who reads them. */
export function informerRunnable(
  informers: Pick<Informers, 'waitForSync' | 'stop'>,
  timeoutMs = 120_000,
): Runnable {
  return {
    name: 'caches',
    start: (signal) => informers.waitForSync({ signal, timeoutMs }),
    run: async (signal) => {
      await whenAborted(signal)
      await informers.stop()
    },
  }
}

/** Well when every cache has seen what is there. A process that does not lead has its caches all the same. */
export function informerCheck(informers: Pick<Informers, 'all'>): HealthCheck {
  return () => {
    const behind = informers.all().filter((informer) => !informer.hasSynced())
    if (behind.length === 0) return
    throw new Error(`not synced: ${behind.map(({ kind }) => kind.plural).join(', ')}`)
  }
}
