import { Fifo } from './fifo.ts'
import type { Entry, StoreEvent } from './store.ts'
import { TooOldError } from './store-error.ts'

/** The latest events, limited in number and in the memory that only they hold. */
export class History {
  readonly #eventLimit: number
  readonly #byteLimit: number
  readonly #events = new Fifo<StoreEvent>()
  #bytes = 0
  #oldestRevision: number

  constructor(revision: number, eventLimit: number, byteLimit: number) {
    this.#oldestRevision = revision
    this.#eventLimit = eventLimit
    this.#byteLimit = byteLimit
  }

  /** The oldest revision from which every later event is known. */
  get oldestRevision(): number {
    return this.#oldestRevision
  }

  push(event: StoreEvent): void {
    this.#events.push(event)
    this.#bytes += heldBytes(event)
    while (this.#events.length > this.#eventLimit || this.#bytes > this.#byteLimit) {
      const dropped = this.#events.shift()
      if (dropped === undefined) return
      this.#bytes -= heldBytes(dropped)
      this.#oldestRevision = dropped.revision
    }
  }

  /** The events after `revision`, in order. Throws TooOldError. */
  since(revision: number): StoreEvent[] {
    if (revision < this.#oldestRevision) throw new TooOldError(revision, this.#oldestRevision)
    const events: StoreEvent[] = []
    for (let i = this.#firstAfter(revision); i < this.#events.length; i++) {
      const event = this.#events.at(i)
      if (event !== undefined) events.push(event)
    }
    return events
  }

  /**
   * The previous entries of changed keys under `prefix`, to restore an earlier state; undefined if a key did not exist.
   */
  undo(prefix: string, revision: number): Map<string, Entry | undefined> {
    const before = new Map<string, Entry | undefined>()
    for (const { entry, previous } of this.since(revision)) {
      if (entry.key.startsWith(prefix) && !before.has(entry.key)) before.set(entry.key, previous)
    }
    return before
  }

  #firstAfter(revision: number): number {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#events.at(middle)?.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    return low
  }
}

// Only deleted entries count, since others are current or the `previous` of a later event.
function heldBytes(event: StoreEvent): number {
  const superseded = event.previous?.json.length ?? 0
  return event.type === 'DELETED' ? superseded + event.entry.json.length : superseded
}
