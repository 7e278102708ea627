import type { KubeObject } from '../object.ts'
import type { Change } from './indexed-store.ts'

/**
 * Receives changes after the store has them, in order for each object. Handlers are called one after the other and must
 * return at once; slow work belongs on a queue.
 */
export interface InformerHandler<T extends KubeObject> {
  onAdd?(object: T, info: { readonly isInInitialList: boolean }): void
  /** At a resync, old and new are the same object. */
  onUpdate?(old: T, object: T): void
  onDelete?(object: T, info: { readonly finalStateUnknown: boolean }): void
}

export interface Registration {
  /** Whether all objects of the initial list have been delivered. */
  hasSynced(): boolean
  /** Nothing is delivered afterwards. */
  remove(): void
}

interface HandlerHub<T extends KubeObject> {
  /** Delivers `present` first, as objects of the initial list. */
  add(handler: InformerHandler<T>, present: readonly T[]): Registration
  deliver(changes: readonly Change<T>[], isInitialList: boolean): void
  resync(objects: readonly T[]): void
  /** The initial list is complete. */
  synced(): void
  clear(): void
}

export function createHandlerHub<T extends KubeObject>(
  onFault: (error: unknown) => void,
): HandlerHub<T> {
  const handlers = new Set<InformerHandler<T>>()
  let synced = false

  // A handler that throws must not keep events from other handlers or from the store.
  const call = (handler: InformerHandler<T>, action: () => void): void => {
    if (!handlers.has(handler)) return
    try {
      action()
    } catch (error) {
      onFault(error)
    }
  }
  return {
    add: (added, present) => {
      // Each registration is separate, also if the same handler is registered twice.
      const handler: InformerHandler<T> = {
        onAdd: (object, info) => added.onAdd?.(object, info),
        onUpdate: (old, object) => added.onUpdate?.(old, object),
        onDelete: (object, info) => added.onDelete?.(object, info),
      }
      handlers.add(handler)
      for (const object of present) {
        call(handler, () => handler.onAdd?.(object, { isInInitialList: true }))
      }
      return {
        hasSynced: () => synced && handlers.has(handler),
        remove: () => handlers.delete(handler),
      }
    },
    deliver: (changes, isInInitialList) => {
      // A handler that registers meanwhile has received the new state already.
      const present = [...handlers]
      for (const change of changes) {
        for (const handler of present) call(handler, () => notify(handler, change, isInInitialList))
      }
    },
    resync: (objects) => {
      const present = [...handlers]
      for (const object of objects) {
        for (const handler of present) call(handler, () => handler.onUpdate?.(object, object))
      }
    },
    synced: () => {
      synced = true
    },
    clear: () => handlers.clear(),
  }
}

function notify<T extends KubeObject>(
  handler: InformerHandler<T>,
  change: Change<T>,
  isInInitialList: boolean,
): void {
  switch (change.type) {
    case 'add':
      handler.onAdd?.(change.object, { isInInitialList })
      break
    case 'update':
      handler.onUpdate?.(change.old, change.object)
      break
    case 'delete':
      handler.onDelete?.(change.object, { finalStateUnknown: change.finalStateUnknown })
  }
}
