import {
  type Indexer,
  type InformerLease,
  type Informers,
  type KindRef,
  type KubeObject,
  parseKey,
} from '@agents/kube'
import { fromInformer } from './from-informer.ts'
import type { ChangeSource } from './informer.ts'

/** All objects of a kind in the namespaces that the process looks after. */
export interface ResourceCache<T extends KubeObject = KubeObject> extends ChangeSource<T> {
  readonly kind: KindRef<T>
  /** Of one namespace, or of all that are looked after. */
  list(namespace?: string): T[]
  /** Those that the index keeps under the value. */
  byIndex(index: string, value: string): T[]
  /** For whoever looks objects up in a way of his own. A name can be given once. */
  addIndexers(indexers: Readonly<Record<string, Indexer<T>>>): void
}

export interface CacheOptions<T extends KubeObject> {
  readonly indexers?: Readonly<Record<string, Indexer<T>>>
  readonly transform?: (object: T) => T
  readonly labelSelector?: string
  /** For who needs no contents: the server sends none. */
  readonly metadataOnly?: boolean
}

/** One watch for each namespace, or a single one where `namespaces` is `*` or the kind has none. */
export function resourceCache<T extends KubeObject>(
  informers: Informers,
  kind: KindRef<T>,
  namespaces: readonly string[],
  options: CacheOptions<T> = {},
): ResourceCache<T> {
  const scopes = namespaces.includes('*') || !kind.namespaced ? [undefined] : namespaces
  const leases = new Map(
    scopes.map((namespace) => [namespace, informers.acquire(kind, { ...options, namespace })]),
  )
  const all = [...leases.values()]
  const leaseOf = (key: string): InformerLease<T> | undefined =>
    leases.get(undefined) ?? leases.get(parseKey(key).namespace)
  const sources = all.map((lease) => fromInformer(lease))
  return {
    kind,
    get: (key) => leaseOf(key)?.informer.store.get(key),
    list: (namespace) => all.flatMap(({ informer }) => informer.store.list({ namespace })),
    byIndex: (index, value) => all.flatMap(({ informer }) => informer.store.byIndex(index, value)),
    addIndexers: (indexers) => {
      for (const { informer } of all) informer.addIndexers(indexers)
    },
    /** Of a single scope only: versions of several watches say nothing about each other. */
    get resourceVersion() {
      return all.length === 1 ? all[0]?.informer.revision : undefined
    },
    resourceVersionAt: (key) => leaseOf(key)?.informer.revision,
    subscribe: (handlers) => {
      const subscriptions = sources.map((source) => source.subscribe(handlers))
      return {
        hasSynced: () => subscriptions.every((one) => one.hasSynced()),
        remove: () => {
          for (const one of subscriptions) one.remove()
        },
      }
    },
  }
}
