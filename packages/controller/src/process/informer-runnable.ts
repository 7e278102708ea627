import type { Informers } from '@agents/kube'
import { whenAborted } from '../abort/when-aborted.ts'
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
