import { RevisionedStore, type StoreLimits } from './revisioned-store.ts'
import { openSqliteJournal } from './sqlite-journal.ts'
import type { Store } from './store.ts'
import type { StoreFailedError } from './store-error.ts'

export interface DurableStoreOptions extends StoreLimits {
  /** Directory of the store only. Created if missing, with access for its owner only. */
  readonly directory: string
  /** Maximum size of the file. Further writes fail as on a full disk. */
  readonly maxBytes?: number
  /** Called once if the store can no longer write. The process should then be restarted. */
  readonly onFatal?: (error: StoreFailedError) => void
}

/** Opens a store whose acknowledged writes survive crashes of the process and the machine. Throws StoreLockedError. */
export async function openDurableStore(options: DurableStoreOptions): Promise<Store> {
  const { directory, maxBytes, ...rest } = options
  const settings = maxBytes === undefined ? { directory } : { directory, maxBytes }
  const opened = await openSqliteJournal(settings)
  return new RevisionedStore({ ...rest, ...opened })
}
