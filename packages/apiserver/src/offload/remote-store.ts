import { randomUUID } from 'node:crypto'
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type KubeObject, stringifyJson } from '@agents/kube'
import { parseBoundedJson } from '../json/parse-bounded-json.ts'
import { checkStored } from '../request/body-weight.ts'
import { conflict } from '../status/api-error.ts'
import type {
  Decision,
  Entry,
  ListOptions,
  ListResult,
  Store,
  StoreEvent,
  Watch,
  WriteResult,
} from '../store/store.ts'
import {
  FutureRevisionError,
  StorageFullError,
  StoreClosedError,
  StoreFailedError,
  TooOldError,
} from '../store/store-error.ts'
import type {
  FromThread,
  Read,
  StoreFault,
  WireDecision,
  WireEntry,
  WireEvent,
  WireEvents,
  WriteOutcome,
} from './protocol.ts'

/**
 * Number of retries after the object has been changed meanwhile, as in kube-apiserver.
 */
const attempts = 5

interface Subscription {
  readonly prefix: string
  readonly onEvent: (event: StoreEvent, watch: Watch) => void
  readonly watch: Watch
  revision: number
}

/**
 * The store of the main thread for use in the request thread. Reads block until the main thread has answered.
 */
export class RemoteStore implements Store {
  readonly #signal: Int32Array
  readonly #replies: MessagePort
  readonly #send: (message: FromThread) => void
  readonly #subscriptions = new Set<Subscription>()
  readonly #writes = new Map<number, (outcome: WriteOutcome) => void>()
  #lastWrite = 0

  constructor(
    signal: SharedArrayBuffer,
    replies: MessagePort,
    send: (message: FromThread) => void,
  ) {
    this.#signal = new Int32Array(signal)
    this.#replies = replies
    this.#send = send
  }

  get revision(): number {
    return this.#revisions().revision
  }

  get oldestRevision(): number {
    return this.#revisions().oldest
  }

  get(key: string): Entry | undefined {
    return entryOf(this.#read<WireEntry | undefined>({ read: 'get', key }))
  }

  list(prefix: string, options: ListOptions = {}): ListResult {
    return this.#list(prefix, undefined, options)
  }

  listAt(prefix: string, revision: number, options: ListOptions = {}): ListResult {
    return this.#list(prefix, revision, options)
  }

  /**
   * Runs the decision on the newest entry and submits it. The main thread accepts it if the entry is still the newest.
   */
  async write(key: string, decide: (current: Entry | undefined) => Decision): Promise<WriteResult> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const current = entryOf(this.#read<WireEntry | undefined>({ read: 'newest', key }))
      const decision = decide(current)
      if (decision === 'unchanged' || (current === undefined && isDelete(decision))) {
        return { type: 'UNCHANGED', entry: current, revision: this.revision }
      }
      const outcome = await this.#submit(key, current?.revision, wireDecision(decision, current))
      if (outcome === 'stale') continue
      if ('fault' in outcome) throw errorOf(outcome.fault)
      return eventOf(outcome.event)
    }
    const [, group = '', plural = '', ...rest] = key.split('/')
    throw conflict({ group: group === 'core' ? '' : group, plural }, rest.at(-1) ?? '')
  }

  /** Events are delivered by `catchUp` between two requests. */
  watch(prefix: string, fromRevision: number, onEvent: Subscription['onEvent']): Watch {
    const watch = { close: () => this.#subscriptions.delete(subscription) }
    const subscription: Subscription = { prefix, onEvent, watch, revision: fromRevision }
    this.#subscriptions.add(subscription)
    return watch
  }

  /** Delivers the events since the last call. */
  catchUp(): void {
    for (const subscription of [...this.#subscriptions]) {
      const { prefix, revision: from, onEvent, watch } = subscription
      const read = this.#read<WireEvents>({ read: 'events', prefix, from })
      for (const event of read.events) onEvent(eventOf(event), watch)
      // Updated even without events, since the history of the store drops old revisions.
      subscription.revision = read.revision
    }
  }

  settle(id: number, outcome: WriteOutcome): void {
    this.#writes.get(id)?.(outcome)
    this.#writes.delete(id)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #revisions(): { revision: number; oldest: number } {
    return this.#read({ read: 'revisions' })
  }

  #list(prefix: string, revision: number | undefined, { after, limit }: ListOptions): ListResult {
    const { entries, ...rest } = this.#read<Omit<ListResult, 'entries'> & { entries: WireEntry[] }>(
      {
        read: 'list',
        prefix,
        revision,
        after,
        limit,
      },
    )
    return { ...rest, entries: entries.map((entry) => new RemoteEntry(entry)) }
  }

  #submit(key: string, basis: number | undefined, decision: WireDecision): Promise<WriteOutcome> {
    const id = ++this.#lastWrite
    return new Promise((resolve) => {
      this.#writes.set(id, resolve)
      this.#send({ type: 'write', id, key, basis, decision })
    })
  }

  #read<T>(read: Read): T {
    Atomics.store(this.#signal, 0, 0)
    this.#send({ type: 'read', read })
    Atomics.wait(this.#signal, 0, 0)
    const { message } = receiveMessageOnPort(this.#replies) as {
      message: { value: T } | { fault: StoreFault }
    }
    if ('fault' in message) throw errorOf(message.fault)
    return message.value
  }
}

class RemoteEntry implements Entry {
  readonly key: string
  readonly revision: number
  readonly json: Buffer
  #value: KubeObject | undefined

  constructor({ key, revision, json }: WireEntry) {
    this.key = key
    this.revision = revision
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  }

  get value(): KubeObject {
    this.#value ??= parseBoundedJson(this.json) as unknown as KubeObject
    return this.#value
  }
}

function entryOf(entry: WireEntry | undefined): Entry | undefined {
  return entry === undefined ? undefined : new RemoteEntry(entry)
}

function eventOf({ type, entry, previous, revision }: WireEvent): StoreEvent {
  const before = entryOf(previous)
  return {
    type,
    entry: new RemoteEntry(entry),
    ...(before === undefined ? {} : { previous: before }),
    revision,
  }
}

function isDelete(decision: Decision): boolean {
  return decision === 'delete' || (typeof decision === 'object' && 'delete' in decision)
}

function wireDecision(
  decision: Exclude<Decision, 'unchanged'>,
  current: Entry | undefined,
): WireDecision {
  if (decision !== 'delete' && 'value' in decision) {
    const wire = withGap(decision.value, false)
    checkStored(wire.json)
    return wire
  }
  const final = decision !== 'delete' && 'delete' in decision ? decision.delete : current?.value
  if (final === undefined) throw new Error('nothing to delete')
  return withGap(final, true)
}

function withGap(object: KubeObject, deletes: boolean): WireDecision {
  // The placeholder is random, so that the object cannot contain it.
  const placeholder = randomUUID()
  const metadata = { ...object.metadata, resourceVersion: placeholder }
  const json = Buffer.from(stringifyJson({ ...object, metadata }))
  return { deletes, json, gap: json.indexOf(placeholder), gapLength: placeholder.length }
}

function errorOf({ name, message }: StoreFault): Error {
  switch (name) {
    case 'StorageFullError':
      return new StorageFullError(message)
    case 'StoreClosedError':
      return new StoreClosedError()
    case 'TooOldError':
      return new TooOldError(0, 0)
    case 'FutureRevisionError':
      return new FutureRevisionError(0, 0)
    default:
      return new StoreFailedError(message)
  }
}
