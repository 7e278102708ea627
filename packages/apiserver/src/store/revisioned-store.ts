import { History } from './history.ts'
import type { Journal } from './journal.ts'
import { ParsedValues } from './parsed-values.ts'
import { SortedKeys } from './sorted-keys.ts'
import type {
  Decision,
  Entry,
  ListOptions,
  ListResult,
  Store,
  StoreEvent,
  Watch,
  WriteResult,
} from './store.ts'
import { FutureRevisionError, StoreClosedError, StoreFailedError } from './store-error.ts'
import { entryOf, StoredEntry } from './stored-entry.ts'
import { type OnEvent, Watchers } from './watchers.ts'

export interface StoreLimits {
  /** If omitted, defaults to 20,000. */
  readonly historyEvents?: number
  /** Bytes of superseded values; if omitted, defaults to 64 MiB. */
  readonly historyBytes?: number
  /** Memory of the values kept in parsed form, as estimated; if omitted, defaults to 24 MiB. */
  readonly parsedBytes?: number
}

export interface StoredObject {
  readonly key: string
  readonly revision: number
  readonly json: Buffer
}

interface RevisionedStoreOptions extends StoreLimits {
  readonly journal: Journal
  /** Revision of the last write in the journal. */
  readonly revision: number
  /** The objects in the journal. */
  readonly objects: readonly StoredObject[]
  /** Called once, when the store can no longer write. */
  readonly onFatal?: (error: StoreFailedError) => void
}

interface PendingWrite {
  readonly event: StoreEvent
  readonly settled: Promise<StoreEvent>
  readonly resolve: (event: StoreEvent) => void
  readonly reject: (error: Error) => void
}

// Approximate limit of a commit in bytes, so that the first of many writes does not wait for the last.
const batchWrites = 512
const batchBytes = 4 * 1024 * 1024

/** A store except for the disk: reads, watches and history in memory, and group commit to a journal. */
export class RevisionedStore implements Store {
  readonly #options: RevisionedStoreOptions
  readonly #entries = new Map<string, Entry>()
  readonly #keys = new SortedKeys()
  readonly #history: History
  readonly #watchers = new Watchers()
  readonly #parsed: ParsedValues
  readonly #newest = new Map<string, PendingWrite>()
  #queue: PendingWrite[] = []
  #committing: Promise<void> | undefined
  #flushDeferred = false
  #revision: number
  #assignedRevision: number
  #refusal: Error | undefined

  constructor(options: RevisionedStoreOptions) {
    this.#options = options
    this.#revision = options.revision
    this.#assignedRevision = options.revision
    this.#parsed = new ParsedValues(options.parsedBytes ?? 24 * 1024 * 1024)
    this.#history = new History(
      options.revision,
      options.historyEvents ?? 20_000,
      options.historyBytes ?? 64 * 1024 * 1024,
    )
    for (const { key, revision, json } of options.objects) {
      this.#entries.set(key, new StoredEntry(key, revision, json, this.#parsed))
      this.#keys.add(key)
    }
    void options.journal.broken.then((cause) => this.#fail([], cause))
  }

  get revision(): number {
    return this.#revision
  }

  get oldestRevision(): number {
    return this.#history.oldestRevision
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  list(prefix: string, options: ListOptions = {}): ListResult {
    return this.#list(prefix, this.#revision, new Map(), options)
  }

  listAt(prefix: string, revision: number, options: ListOptions = {}): ListResult {
    if (revision > this.#revision) throw new FutureRevisionError(revision, this.#revision)
    return this.#list(prefix, revision, this.#history.undo(prefix, revision), options)
  }

  watch(prefix: string, fromRevision: number, onEvent: OnEvent): Watch {
    if (this.#refusal instanceof StoreClosedError) throw this.#refusal
    return this.#watchers.add(prefix, fromRevision, this.#history.since(fromRevision), onEvent)
  }

  async write(key: string, decide: (current: Entry | undefined) => Decision): Promise<WriteResult> {
    if (this.#refusal !== undefined) throw this.#refusal
    const basis = this.#newest.get(key)
    const current = basis === undefined ? this.#entries.get(key) : entryAfter(basis.event)
    let event: StoreEvent | undefined
    try {
      event = this.#eventOf(key, current, decide(current))
    } catch (error) {
      // The error is about a value that is not durable yet, so it is reported once that is.
      await basis?.settled
      throw error
    }
    if (event === undefined) {
      await basis?.settled
      return { type: 'UNCHANGED', entry: current, revision: this.#revision }
    }
    return this.#enqueue(event)
  }

  async close(): Promise<void> {
    if (this.#refusal instanceof StoreClosedError) return
    this.#refusal ??= new StoreClosedError()
    this.#flush()
    while (this.#committing !== undefined) await this.#committing
    this.#watchers.clear()
    await this.#options.journal.close()
  }

  #eventOf(key: string, current: Entry | undefined, decision: Decision): StoreEvent | undefined {
    if (decision === 'unchanged') return undefined
    const revision = this.#assignedRevision + 1
    const previous = current === undefined ? {} : { previous: current }
    if (typeof decision === 'object' && 'bytes' in decision) {
      if (decision.deletes && current === undefined) return undefined
      const entry = new StoredEntry(key, revision, decision.bytes(revision), this.#parsed)
      const written = current === undefined ? 'ADDED' : 'MODIFIED'
      return { type: decision.deletes ? 'DELETED' : written, entry, ...previous, revision }
    }
    if (decision === 'delete' || 'delete' in decision) {
      if (current === undefined) return undefined
      const final = decision === 'delete' ? current.value : decision.delete
      const entry = entryOf(key, final, revision, this.#parsed)
      return { type: 'DELETED', entry, ...previous, revision }
    }
    const entry = entryOf(key, decision.value, revision, this.#parsed)
    return { type: current === undefined ? 'ADDED' : 'MODIFIED', entry, ...previous, revision }
  }

  #enqueue(event: StoreEvent): Promise<StoreEvent> {
    this.#assignedRevision = event.revision
    const { promise: settled, resolve, reject } = Promise.withResolvers<StoreEvent>()
    const write: PendingWrite = { event, settled, resolve, reject }
    this.#newest.set(event.entry.key, write)
    this.#queue.push(write)
    if (!this.#flushDeferred && this.#committing === undefined) {
      this.#flushDeferred = true
      // All writes of this turn of the event loop share a commit.
      setImmediate(() => this.#flush())
    }
    return settled
  }

  #flush(): void {
    this.#flushDeferred = false
    if (this.#committing !== undefined || this.#queue.length === 0) return
    const batch = this.#takeBatch()
    this.#committing = this.#options.journal
      .commit(batch.map((write) => recordOf(write.event)))
      .then(
        (failures) => this.#settle(batch, failures),
        (cause) => this.#fail(batch, cause),
      )
  }

  #takeBatch(): PendingWrite[] {
    let bytes = 0
    let length = 0
    while (length < this.#queue.length && length < batchWrites && bytes < batchBytes) {
      bytes += this.#queue[length]?.event.entry.json.length ?? 0
      length++
    }
    return this.#queue.splice(0, length)
  }

  #settle(batch: PendingWrite[], failures: ReadonlyMap<number, Error>): void {
    batch.forEach((write, index) => {
      const error = failures.get(index)
      if (error === undefined) this.#apply(write)
      else this.#abandon(write, error)
    })
    this.#committing = undefined
    this.#flush()
  }

  #apply(write: PendingWrite): void {
    const { event } = write
    const { key } = event.entry
    if (this.#newest.get(key) === write) this.#newest.delete(key)
    if (event.type === 'DELETED') {
      this.#entries.delete(key)
      this.#keys.delete(key)
    } else {
      this.#entries.set(key, event.entry)
      if (event.type === 'ADDED') this.#keys.add(key)
    }
    this.#revision = event.revision
    this.#history.push(event)
    this.#watchers.dispatch(event)
    write.resolve(event)
  }

  // Queued writes of the same key are based on a value that was not written.
  #abandon(write: PendingWrite, error: Error): void {
    const { key } = write.event.entry
    this.#newest.delete(key)
    write.reject(error)
    this.#queue = this.#queue.filter((queued) => {
      if (queued.event.entry.key !== key) return true
      queued.reject(error)
      return false
    })
  }

  #fail(batch: PendingWrite[], cause: unknown): void {
    const known = this.#refusal instanceof StoreFailedError ? this.#refusal : undefined
    const error = known ?? new StoreFailedError('the store can no longer write to disk', { cause })
    this.#refusal = error
    for (const write of [...batch, ...this.#queue]) write.reject(error)
    this.#queue = []
    this.#newest.clear()
    if (batch.length > 0) this.#committing = undefined
    if (known === undefined) this.#options.onFatal?.(error)
  }

  /** `before` overlays the current entries; see History.undo. */
  #list(
    prefix: string,
    revision: number,
    before: ReadonlyMap<string, Entry | undefined>,
    { after, limit = Number.POSITIVE_INFINITY }: ListOptions,
  ): ListResult {
    // The lowest key above `after` within the prefix.
    const start = after !== undefined && after >= prefix ? `${after}\0` : prefix
    const entries: Entry[] = []
    for (const key of this.#keysAt(prefix, start, before)) {
      const entry = before.has(key) ? before.get(key) : this.#entries.get(key)
      if (entry === undefined) continue
      if (entries.length >= limit) {
        const remaining = this.#countAt(prefix, start, before) - entries.length
        return { entries, revision, more: true, remaining }
      }
      entries.push(entry)
    }
    return { entries, revision, more: false }
  }

  // Current keys merged with those that have been deleted since.
  *#keysAt(
    prefix: string,
    start: string,
    before: ReadonlyMap<string, Entry | undefined>,
  ): Generator<string, undefined> {
    const gone = [...before.keys()].filter((key) => key >= start && !this.#entries.has(key)).sort()
    let next = 0
    for (const key of this.#keys.from(start)) {
      if (!key.startsWith(prefix)) break
      for (let lost = gone[next]; lost !== undefined && lost < key; lost = gone[++next]) yield lost
      yield key
    }
    yield* gone.slice(next)
  }

  #countAt(prefix: string, start: string, before: ReadonlyMap<string, Entry | undefined>): number {
    let count = this.#keys.rank(prefixEnd(prefix)) - this.#keys.rank(start)
    for (const [key, entry] of before) {
      if (key >= start) count += Number(entry !== undefined) - Number(this.#entries.has(key))
    }
    return count
  }
}

function entryAfter(event: StoreEvent): Entry | undefined {
  return event.type === 'DELETED' ? undefined : event.entry
}

function recordOf({ type, entry }: StoreEvent) {
  const { key, revision, json } = entry
  return type === 'DELETED' ? { key, revision } : { key, revision, json }
}

// '0' is the character after '/'.
function prefixEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}0`
}
