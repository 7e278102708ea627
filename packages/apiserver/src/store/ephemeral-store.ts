import type { Journal } from './journal.ts'
import { RevisionedStore, type StoreLimits } from './revisioned-store.ts'
import type { Store } from './store.ts'

/** Opens a store in memory, which otherwise works like the durable one. */
export function openEphemeralStore(limits: StoreLimits = {}): Store {
  return new RevisionedStore({
    ...limits,
    journal: memoryJournal,
    revision: 1,
    objects: [],
  })
}

const memoryJournal: Journal = {
  broken: new Promise<Error>(() => undefined),
  commit: () => Promise.resolve(new Map<number, Error>()),
  close: () => Promise.resolve(),
}
