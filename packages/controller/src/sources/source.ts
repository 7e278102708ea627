import { formatKey, type KubeObject, type ObjectKey, parseApiVersion } from '@agents/kube'
import { type AddOptions, lowPriority } from '../work-queue/work-queue.ts'
import type { ChangeSource, Subscription } from './informer.ts'
import type { Predicate } from './predicate.ts'

export type Enqueue = (key: string, options?: AddOptions) => void

/** A source of changes that cause reconciles of the controller's kind. */
export interface Source {
  /** Used in messages. */
  readonly name: string
  start(enqueue: Enqueue): Subscription
}

/** The kind of an owner, as owner references name it: the version does not matter. */
export interface OwnerKind {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
}

/**
 * Requeues the keys that `toKeys` returns. An update maps both the old and the new object, because a reference may have
 * changed.
 */
export function mappedSource<T extends KubeObject>(
  name: string,
  informer: ChangeSource<T>,
  toKeys: (object: T) => Iterable<ObjectKey>,
  predicate: Predicate<T> = {},
): Source {
  return {
    name,
    start: (enqueue) => {
      const add = (keys: Iterable<string>, priority: number): void => {
        for (const key of keys) enqueue(key, { priority })
      }
      const keysOf = (object: T): string[] => Array.from(toKeys(object), formatKey)
      return informer.subscribe({
        onAdd: (object, isInInitialList) => {
          if (predicate.add?.(object) === false) return
          add(keysOf(object), isInInitialList ? lowPriority : 0)
        },
        onUpdate: (before, after) => {
          if (predicate.update?.(before, after) === false) return
          const keys = new Set([...keysOf(before), ...keysOf(after)])
          add(keys, isResync(before, after) ? lowPriority : 0)
        },
        onDelete: (object) => {
          if (predicate.delete?.(object) !== false) add(keysOf(object), 0)
        },
      })
    },
  }
}

/** Requeues the controlling owner of the changed object. */
export function ownedSource<T extends KubeObject>(
  name: string,
  informer: ChangeSource<T>,
  owner: OwnerKind,
  predicate: Predicate<T> = {},
): Source {
  return mappedSource(name, informer, (object) => controllersOf(object, owner), predicate)
}

function controllersOf({ metadata }: KubeObject, owner: OwnerKind): ObjectKey[] {
  return (metadata.ownerReferences ?? [])
    .filter(
      ({ controller, kind, apiVersion }) =>
        controller === true &&
        kind === owner.kind &&
        parseApiVersion(apiVersion).group === owner.group,
    )
    .map(({ name }) => ({ name, namespace: owner.namespaced ? metadata.namespace : undefined }))
}

export function isResync(before: KubeObject, after: KubeObject): boolean {
  return before.metadata.resourceVersion === after.metadata.resourceVersion
}
