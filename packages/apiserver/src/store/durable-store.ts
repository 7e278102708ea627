import { RevisionedStore, type StoreLimits } from './revisioned-store.ts'
import { openSqliteJournal } from './sqlite-journal.ts'
import type { Store } from './store.ts'
import type { StoreFailedError } from './store-error.ts'

export interface DurableStoreOptions extends StoreLimits {
  /** The store's own directory: made if missing, closed to other users. */
  readonly directory: string
  /** Upper bound for the file; writes beyond it are refused as on a full disk. */
  readonly maxBytes?: number
  /** Called once if the store can no longer write: the process had better end and start again. */
  readonly onFatal?: (error: StoreFailedError) => void
}

/** A store whose acknowledged writes survive the end of the process and of the machine. Throws StoreLockedError. */
export async function openDurableStore(options: DurableStoreOptions): Promise<Store> {
  const { directory, maxBytes, ...rest } = options
  const settings = maxBytes === undefined ? { directory } : { directory, maxBytes }
  const opened = await openSqliteJournal(settings)
  return new RevisionedStore({ ...rest, ...opened })
}
