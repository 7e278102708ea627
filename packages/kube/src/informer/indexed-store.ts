import type { LabelSelector } from '../kind/builtin-objects.ts'
import { formatKey, type ObjectKey } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import { compareRevisions } from '../resource-version.ts'
import { matchesLabels, requirementsOf } from '../selector/label-selector.ts'
import { createIndexes, type Indexer } from './indexes.ts'

export const namespaceIndex = 'namespace'
export const ownerIndex = 'owner'

export const byNamespace: Indexer<KubeObject> = ({ metadata }) => [metadata.namespace ?? '']
/** The uids of all owners. */
export const byOwner: Indexer<KubeObject> = ({ metadata }) =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid)

/** The cached objects of a kind. They are shared by all readers and must not be modified. */
export interface ReadStore<T extends KubeObject> {
  readonly size: number
  get(key: ObjectKey | string): T | undefined
  keys(): string[]
  /** All objects, or those that match the filter. The returned list may be modified. */
  list(filter?: StoreFilter): T[]
  /** Throws if the index does not exist: a full scan would hide that it is missing. */
  byIndex(index: string, value: string): T[]
  indexValues(index: string): string[]
}

interface StoreFilter {
  readonly namespace?: string | undefined
  readonly labels?: LabelSelector | undefined
}

export type Change<T extends KubeObject> =
  | { readonly type: 'add'; readonly object: T }
  | { readonly type: 'update'; readonly old: T; readonly object: T }
  /** `finalStateUnknown`: the deletion was missed, so the object may be older than its final state. */
  | { readonly type: 'delete'; readonly object: T; readonly finalStateUnknown: boolean }

/** A store whose writes return their changes, so that objects, indexes and events always agree. */
interface WriteStore<T extends KubeObject> extends ReadStore<T> {
  put(object: T): Change<T>[]
  remove(object: T): Change<T>[]
  /** Replaces all objects; objects that are not listed are deleted. */
  replace(objects: Iterable<T>): Change<T>[]
  addIndexers(indexers: Readonly<Record<string, Indexer<T>>>): void
}

export function createStore<T extends KubeObject>(
  indexers: Readonly<Record<string, Indexer<T>>> = {},
): WriteStore<T> {
  const objects = new Map<string, T>()
  const indexes = createIndexes(objects)
  indexes.add(indexers)

  const set = (key: string, object: T, old: T | undefined): void => {
    objects.set(key, object)
    indexes.move(key, old, object)
  }
  const unset = (key: string, old: T): void => {
    objects.delete(key)
    indexes.move(key, old, undefined)
  }
  const put = (object: T): Change<T>[] => {
    const key = formatKey(object.metadata)
    const old = objects.get(key)
    if (old === undefined) {
      set(key, object, undefined)
      return [{ type: 'add', object }]
    }
    if (old.metadata.uid !== object.metadata.uid) {
      // Another object of the same name: the deletion of the first was not seen.
      set(key, object, old)
      return [
        { type: 'delete', object: old, finalStateUnknown: true },
        { type: 'add', object },
      ]
    }
    if (sameRevision(old, object)) return []
    set(key, object, old)
    return [{ type: 'update', old, object }]
  }
  return {
    get size() {
      return objects.size
    },
    get: (key) => objects.get(typeof key === 'string' ? key : formatKey(key)),
    keys: () => [...objects.keys()],
    list: ({ namespace, labels } = {}) => {
      const scoped =
        namespace === undefined
          ? [...objects.values()]
          : indexes.has(namespaceIndex)
            ? indexes.find(namespaceIndex, namespace)
            : [...objects.values()].filter(({ metadata }) => metadata.namespace === namespace)
      if (labels === undefined) return scoped
      const wanted = requirementsOf(labels)
      return scoped.filter(({ metadata }) => matchesLabels(wanted, metadata.labels))
    },
    byIndex: indexes.find,
    indexValues: indexes.values,
    put,
    remove: (object) => {
      const key = formatKey(object.metadata)
      const old = objects.get(key)
      if (old === undefined) return []
      if (old.metadata.uid !== object.metadata.uid) {
        // A list that was continued after a compaction may be newer than the version that its watch starts from.
        if (isOlder(object, old)) return []
        unset(key, old)
        return [{ type: 'delete', object: old, finalStateUnknown: true }]
      }
      unset(key, old)
      return [{ type: 'delete', object, finalStateUnknown: false }]
    },
    replace: (all) => {
      const changes: Change<T>[] = []
      const kept = new Set<string>()
      const present = [...all]
      for (const { metadata } of present) kept.add(formatKey(metadata))
      for (const [key, old] of objects) {
        if (kept.has(key)) continue
        unset(key, old)
        changes.push({ type: 'delete', object: old, finalStateUnknown: true })
      }
      for (const object of present) changes.push(...put(object))
      return changes
    },
    addIndexers: indexes.add,
  }
}

function isOlder(a: KubeObject, b: KubeObject): boolean {
  return compareRevisions(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '') < 0
}

function sameRevision(a: KubeObject, b: KubeObject): boolean {
  const { resourceVersion } = a.metadata
  return resourceVersion !== undefined && resourceVersion === b.metadata.resourceVersion
}
