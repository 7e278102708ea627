import { ApiError } from '../status/api-error.ts'
import type { Entry, Store, StoreEvent } from '../store/store.ts'
import type { ServedWatch, WatchEvent } from './watch-event.ts'

/** Events that wait for their conversion. A client that is further behind has to start again. */
const maxWaiting = 10_000

/** A watch whose events a webhook converts. If a conversion fails, the watch ends, since no event may be omitted. */
export function watchConverted(
  store: Store,
  prefix: string,
  from: number,
  convertAll: (entries: readonly Entry[]) => Promise<void>,
  translate: (event: StoreEvent) => void,
  send: (event: WatchEvent) => void,
): ServedWatch {
  let waiting: StoreEvent[] = []
  let isRunning = false
  let isClosed = false
  const fail = (error: unknown): void => {
    if (isClosed) return
    isClosed = true
    const known = error instanceof ApiError ? error : new ApiError(500, '', String(error))
    send({ type: 'ERROR', status: known.status() })
  }
  const run = async (): Promise<void> => {
    isRunning = true
    while (waiting.length > 0 && !isClosed) {
      const events = waiting
      waiting = []
      const entries = events.flatMap(({ entry, previous }) =>
        previous === undefined ? [entry] : [entry, previous],
      )
      await convertAll([...new Set(entries)])
      for (const event of events) if (!isClosed) translate(event)
    }
    isRunning = false
  }
  const watch = store.watch(prefix, from, (event) => {
    if (isClosed) return
    waiting.push(event)
    if (waiting.length > maxWaiting) {
      fail(new ApiError(410, 'Expired', 'too many events wait for their conversion'))
    } else if (!isRunning) run().catch(fail)
  })
  return {
    isBehind: () => isRunning || waiting.length > 0,
    close: () => {
      isClosed = true
      watch.close()
    },
  }
}
