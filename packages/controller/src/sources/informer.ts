import type { KubeObject } from '@agents/kube'
import type { ObjectCache } from '../objects/own-writes.ts'

/** Called one at a time, in the order of the changes; they must not throw. */
export interface ChangeHandlers<T extends KubeObject> {
  onAdd(object: T, isInInitialList: boolean): void
  /** A resync is an update from a version to the same version. */
  onUpdate(before: T, after: T): void
  onDelete(object: T): void
}

export interface Subscription {
  /** Whether the handlers have received all objects that existed when they subscribed. */
  hasSynced(): boolean
  remove(): void
}

/** A shared cache of one kind that reports its changes. */
export interface ChangeSource<T extends KubeObject = KubeObject> extends ObjectCache<T> {
  subscribe(handlers: ChangeHandlers<T>): Subscription
}
