import type { KubeObject } from '@agents/kube'
import type { ObjectCache } from '../objects/own-writes.ts'

/** Called one after the other, in the order of the changes; they must not throw. */
export interface ChangeHandlers<T extends KubeObject> {
  onAdd(object: T, isInInitialList: boolean): void
  /** A resync is an update from a version to the same version. */
  onUpdate(before: T, after: T): void
  onDelete(object: T): void
}

export interface Subscription {
  /** The handlers have seen everything that was there when they came. */
  hasSynced(): boolean
  remove(): void
}

/** A shared cache of one kind that tells what changes in it, as far as controllers need it. */
export interface ChangeSource<T extends KubeObject = KubeObject> extends ObjectCache<T> {
  subscribe(handlers: ChangeHandlers<T>): Subscription
}
