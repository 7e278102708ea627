import { formatKey, type KubeObject } from '@agents/kube'
import type { ChangeHandlers, ChangeSource, Subscription } from '../sources/informer.ts'

/** A cache whose changes are made by the test. */
export class MemoryInformer<T extends KubeObject = KubeObject> implements ChangeSource<T> {
  synced = true
  resourceVersion: string | undefined = '0'
  readonly #objects = new Map<string, T>()
  readonly #handlers = new Set<ChangeHandlers<T>>()

  get(key: string): T | undefined {
    return this.#objects.get(key)
  }

  subscribe(handlers: ChangeHandlers<T>): Subscription {
    this.#handlers.add(handlers)
    for (const object of this.#objects.values()) handlers.onAdd(object, true)
    return { hasSynced: () => this.synced, remove: () => this.#handlers.delete(handlers) }
  }

  /** Adds or updates the object, as a watch event would. */
  put(object: T): void {
    const key = formatKey(object.metadata)
    const before = this.#objects.get(key)
    this.#objects.set(key, object)
    this.resourceVersion = object.metadata.resourceVersion
    for (const handlers of this.#handlers) {
      if (before) handlers.onUpdate(before, object)
      else handlers.onAdd(object, false)
    }
  }

  delete(key: string, resourceVersion: string): void {
    const object = this.#objects.get(key)
    this.#objects.delete(key)
    this.resourceVersion = resourceVersion
    if (object) for (const handlers of this.#handlers) handlers.onDelete(object)
  }

  get subscribers(): number {
    return this.#handlers.size
  }
}
