import type { StoreEvent, Watch } from './store.ts'

export type OnEvent = (event: StoreEvent, watch: Watch) => void

interface Subscription {
  readonly watch: Watch
  readonly onEvent: OnEvent
  /** The last revision delivered or skipped. */
  revision: number
  open: boolean
}

/** Watches by prefix, so that the cost of a write depends on its own watchers only. */
export class Watchers {
  readonly #byPrefix = new Map<string, Set<Subscription>>()

  /** `past` has the events after `fromRevision` that are already committed. */
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

// A watch that is opened by a callback gets the current event as a past one. The revision prevents a second delivery.
function deliver(subscription: Subscription, event: StoreEvent): void {
  if (!subscription.open || event.revision <= subscription.revision) return
  subscription.revision = event.revision
  try {
    subscription.onEvent(event, subscription.watch)
  } catch (error) {
    // An error of a callback becomes an uncaught exception, so that the commit is completed.
    queueMicrotask(() => {
      throw error
    })
  }
}
