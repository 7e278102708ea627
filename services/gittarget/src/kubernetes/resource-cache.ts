import { type ChangeSource, fromInformer } from '@agents/controller'
import {
  type InformerLease,
  type Informers,
  type KindRef,
  type KubeObject,
  parseKey,
  type SharedOptions,
} from '@agents/kube'

/** All objects of a kind that the process looks at. */
export interface ResourceCache<T extends KubeObject = KubeObject> extends ChangeSource<T> {
  readonly kind: KindRef<T>
  list(namespace?: string): T[]
}

/** One watch for each namespace, or a single one where `namespaces` is `*`. */
export function resourceCache<T extends KubeObject>(
  informers: Informers,
  kind: KindRef<T>,
  namespaces: readonly string[],
  options: Pick<SharedOptions<T>, 'transform'> = {},
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
