import type { KubeObject } from '../object.ts'

/** The values under which an object is found in an index. */
export type Indexer<T extends KubeObject> = (object: T) => readonly string[]

/** The named indexes of one map of objects. `move` must be called for each change of the map. */
interface Indexes<T extends KubeObject> {
  /** Existing objects are indexed at once. Throws if another indexer has the same name. */
  add(indexers: Readonly<Record<string, Indexer<T>>>): void
  has(index: string): boolean
  /** Throws if the index does not exist. */
  find(index: string, value: string): T[]
  values(index: string): string[]
  move(key: string, old: T | undefined, next: T | undefined): void
}

export function createIndexes<T extends KubeObject>(objects: ReadonlyMap<string, T>): Indexes<T> {
  const indexes = new Map<string, Index<T>>()
  const indexOf = (name: string): Index<T> => {
    const index = indexes.get(name)
    if (index === undefined) throw new TypeError(`there is no index named ${name}`)
    return index
  }
  return {
    add: (indexers) => {
      for (const [name, indexer] of Object.entries(indexers)) {
        const known = indexes.get(name)
        if (known?.indexer === indexer) continue
        if (known !== undefined) throw new TypeError(`there is already another index named ${name}`)
        const index = createIndex(indexer)
        for (const [key, object] of objects) index.move(key, undefined, object)
        indexes.set(name, index)
      }
    },
    has: (name) => indexes.has(name),
    find: (name, value) => {
      const found: T[] = []
      for (const key of indexOf(name).keys(value)) {
        const object = objects.get(key)
        if (object !== undefined) found.push(object)
      }
      return found
    },
    values: (name) => indexOf(name).values(),
    move: (key, old, next) => {
      for (const index of indexes.values()) index.move(key, old, next)
    },
  }
}

interface Index<T extends KubeObject> {
  readonly indexer: Indexer<T>
  keys(value: string): Iterable<string>
  values(): string[]
  move(key: string, old: T | undefined, next: T | undefined): void
}

function createIndex<T extends KubeObject>(indexer: Indexer<T>): Index<T> {
  const entries = new Map<string, Set<string>>()
  return {
    indexer,
    keys: (value) => entries.get(value) ?? [],
    values: () => [...entries.keys()],
    move: (key, old, next) => {
      const before = old === undefined ? [] : indexer(old)
      const after = next === undefined ? [] : indexer(next)
      const kept = new Set(after)
      for (const value of before) {
        if (kept.has(value)) continue
        const keys = entries.get(value)
        keys?.delete(key)
        if (keys?.size === 0) entries.delete(value)
      }
      for (const value of after) {
        const keys = entries.get(value)
        if (keys === undefined) entries.set(value, new Set([key]))
        else keys.add(key)
      }
    },
  }
}
