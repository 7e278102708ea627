import type { StoreEvent, Watch } from './store.ts'

export type OnEvent = (event: StoreEvent, watch: Watch) => void

interface Subscription {
  readonly watch: Watch
  readonly onEvent: OnEvent
  /** The last revision delivered or skipped. */
  revision: number
  open: boolean
}

/** Who watches what, by prefix, so that a write costs only its own watchers. */
export class Watchers {
  readonly #byPrefix = new Map<string, Set<Subscription>>()

  /** `past` holds the events after `fromRevision` that are committed already. */
  add(prefix: string, fromRevision: number, past: StoreEvent[], onEvent: OnEvent): Watch {
    const watch = { close: () => this.#remove(prefix, subscription) }
    const subscription: Subscription = { watch, onEvent, revision: fromRevision, open: true }
    const subscriptions = this.#byPrefix.get(prefix) ?? new Set()
    this.#byPrefix.set(prefix, subscriptions.add(subscription))
    for (const event of past) {
      if (event.entry.key.startsWith(prefix)) deliver(subscription, event)
    }
    return watch
  }

  dispatch(event: StoreEvent): void {
    if (this.#byPrefix.size === 0) return
    const { key } = event.entry
    for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
      this.#dispatchTo(key.slice(0, slash + 1), event)
    }
    this.#dispatchTo(key, event)
  }

  clear(): void {
    for (const subscriptions of this.#byPrefix.values()) {
      for (const subscription of subscriptions) subscription.open = false
    }
    this.#byPrefix.clear()
  }

  #dispatchTo(prefix: string, event: StoreEvent): void {
    const subscriptions = this.#byPrefix.get(prefix)
    if (subscriptions === undefined) return
    for (const subscription of subscriptions) deliver(subscription, event)
  }

  #remove(prefix: string, subscription: Subscription): void {
    subscription.open = false
    const subscriptions = this.#byPrefix.get(prefix)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) this.#byPrefix.delete(prefix)
  }
}

// A watch opened by a callback gets the event at hand as a past one; the revision keeps it from coming twice.
function deliver(subscription: Subscription, event: StoreEvent): void {
  if (!subscription.open || event.revision <= subscription.revision) return
  subscription.revision = event.revision
  try {
    subscription.onEvent(event, subscription.watch)
  } catch (error) {
    // A faulty watcher is a defect, to be seen as an uncaught exception, but the commit must be completed.
    queueMicrotask(() => {
      throw error
    })
  }
}
