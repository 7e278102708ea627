import type { Store } from '../store/store.ts'
import type { BackgroundTask } from './background-task.ts'
import { RetryQueue } from './retry-queue.ts'

interface WatchedQueueOptions {
  readonly store: Pick<Store, 'list' | 'watch'>
  /** The keys that begin with it are processed. */
  readonly prefix: string
  readonly work: (key: string) => Promise<void>
  readonly onError: (key: string, error: unknown) => void
}

/** Processes each stored object once at the start, and again whenever it is written. */
export function startWatchedQueue(options: WatchedQueueOptions): BackgroundTask {
  const { store, prefix, work, onError } = options
  const queue = new RetryQueue(work, onError)
  const { entries, revision } = store.list(prefix)
  for (const { key } of entries) queue.add(key)
  const watch = store.watch(prefix, revision, ({ type, entry }) => {
    if (type !== 'DELETED') queue.add(entry.key)
  })
  return {
    async stop() {
      watch.close()
      await queue.stop()
    },
    idle: () => queue.idle(),
  }
}
