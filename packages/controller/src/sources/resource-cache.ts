import {
  type Indexer,
  type InformerLease,
  type Informers,
  type KindRef,
  type KubeObject,
  type Message,
  parseKey,
} from '@agents/kube'
import { fromInformer } from './from-informer.ts'
import type { ChangeSource } from './informer.ts'

/** All objects of a kind in the namespaces of the process. */
export interface ResourceCache<T extends KubeObject = KubeObject> extends ChangeSource<T> {
  readonly kind: KindRef<T>
  /** The objects of one namespace, or of all namespaces of the process. */
  list(namespace?: string): T[]
  /** The objects that the index has under the value. */
  byIndex(index: string, value: string): T[]
  /** Adds indexes. Each name can be used once. */
  addIndexers(indexers: Readonly<Record<string, Indexer<T>>>): void
}

interface CacheOptions<T extends KubeObject> {
  readonly indexers?: Readonly<Record<string, Indexer<T>>>
  readonly transform?: (object: T) => T
  readonly labelSelector?: string
  /** Only metadata is cached: the server sends nothing else. */
  readonly metadataOnly?: boolean
  /** The fields that are decoded if the server sends protobuf. */
  readonly fields?: Message
}

/** Opens one watch per namespace, or a single one if `namespaces` is `*` or the kind is cluster-scoped. */
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
    /** Only for a single watch: the versions of several watches cannot be compared. */
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
