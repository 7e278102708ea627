import type { KubeClient } from '../client/kube-client.ts'
import type { Scope, View } from '../client/list-options.ts'
import { formatApiVersion } from '../group-version.ts'
import type { KindRef } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'
import { type BackoffOptions, defaultBackoff } from './backoff.ts'
import { createCompactor, deepFreeze, withoutManagedFields } from './compact.ts'
import { createHandlerHub, type InformerHandler, type Registration } from './handlers.ts'
import { heapSize } from './heap-size.ts'
import {
  byNamespace,
  type Change,
  createStore,
  NAMESPACE_INDEX,
  type ReadStore,
} from './indexed-store.ts'
import type { Indexer } from './indexes.ts'
import { reflect } from './reflector.ts'
import { createWaiters, hasReached, type WaitOptions } from './waiters.ts'

/** A copy of all objects of a kind in a scope, kept in step with the server by one watch. */
export interface Informer<T extends KubeObject> {
  readonly kind: KindRef<T>
  readonly scope: Scope
  readonly store: ReadStore<T>
  /** Harmless to repeat. */
  start(): void
  /** Present objects are delivered at once, as adds of the initial list; then what happens. */
  addHandler(handler: InformerHandler<T>): Registration
  addIndexers(indexers: Readonly<Record<string, Indexer<T>>>): void
  hasSynced(): boolean
  /** Fails with an InformerTimeoutError. `timeoutMs` defaults to two minutes. */
  waitForSync(options?: WaitOptions): Promise<void>
  /** Up to which resource version the store is current. */
  readonly revision: string | undefined
  /** Until the store holds what was written at that resource version: reads then see our own writes. */
  waitForRevision(revision: string, options?: WaitOptions): Promise<void>
  stats(): InformerStats
  /** No handler is called any more once it is called. */
  stop(): Promise<void>
}

export interface InformerStats {
  readonly objects: number
  /** Taken up in memory by the objects, estimated from a sample of them. */
  readonly bytes: number
  readonly bytesPerObject: number
  /** How often the whole state was fetched: more than one is a sign of gaps. */
  readonly replaces: number
  readonly events: number
  readonly failures: number
}

export interface InformerOptions<T extends KubeObject> extends View {
  readonly client: KubeClient
  readonly kind: KindRef<T>
  /** Puts objects into the form they are kept in, after managedFields were taken away. Must be idempotent. */
  readonly transform?: ((object: T) => T) | undefined
  readonly indexers?: Readonly<Record<string, Indexer<T>>> | undefined
  readonly keepManagedFields?: boolean | undefined
  /** Makes a change to a shared object an error at once. For development and tests: it costs time. */
  readonly freeze?: boolean | undefined
  /** Delivers every object again as an update, from memory. At least 1,000; by default never. */
  readonly resyncMs?: number | undefined
  /** Default true. */
  readonly watchList?: boolean | undefined
  readonly pageSize?: number | undefined
  readonly watchSeconds?: number | undefined
  readonly idleSlackMs?: number | undefined
  readonly initialIdleMs?: number | undefined
  readonly maxLineBytes?: number | undefined
  readonly backoff?: Partial<BackoffOptions> | undefined
  /** Everything that goes wrong is tried again; this is for the log. */
  readonly onError?: ((error: unknown, action: 'list' | 'watch' | 'handler') => void) | undefined
}

const syncTimeoutMs = 120_000
const sampleSize = 256

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { client, kind, namespace, labelSelector, fieldSelector, metadataOnly } = options
  const scope = { namespace, labelSelector, fieldSelector }
  const store = createStore<T>({ [NAMESPACE_INDEX]: byNamespace, ...options.indexers })
  const prepare = preparation(options)
  const waiters = createWaiters()
  const controller = new AbortController()
  const counts = { replaces: 0, events: 0, failures: 0 }
  const hub = createHandlerHub<T>((error) => {
    counts.failures++
    options.onError?.(error, 'handler')
  })
  let revision: string | undefined
  let running: Promise<unknown> | undefined
  let synced = false

  const deliver = (changes: readonly Change<T>[]): void => {
    counts.events += changes.length
    hub.deliver(changes, !synced)
  }
  const sink = {
    prepare,
    replace: (objects: Iterable<T>, at: string) => {
      counts.replaces++
      deliver(store.replace(objects))
      revision = at
      synced = true
      hub.synced()
      waiters.wake()
    },
    put: (object: T) => deliver(store.put(object)),
    remove: (object: T) => deliver(store.remove(object)),
    reached: (at: string) => {
      revision = at
      waiters.wake()
    },
    failed: (error: unknown, action: 'list' | 'watch') => {
      counts.failures++
      options.onError?.(error, action)
    },
  }
  const start = (): void => {
    if (running !== undefined || controller.signal.aborted) return
    const { signal } = controller
    const view = { ...scope, metadataOnly }
    const reflecting = reflect(client, kind, view, sink, reflectorOptions(options), signal)
    running = Promise.all([reflecting, resyncing(options, signal, () => hub.resync(store.list()))])
  }
  const name = `informer of ${kind.plural}`
  return {
    kind,
    scope,
    store,
    start,
    addHandler: (handler) => hub.add(handler, store.list()),
    addIndexers: (indexers) => store.addIndexers(indexers),
    hasSynced: () => synced,
    waitForSync: ({ signal, timeoutMs = syncTimeoutMs } = {}) =>
      waiters.until(() => synced, `${name}: synced`, { signal, timeoutMs }),
    get revision() {
      return revision
    },
    waitForRevision: (wanted, wait = {}) =>
      waiters.until(() => hasReached(revision, wanted), `${name}: at revision ${wanted}`, wait),
    stats: () => ({ objects: store.size, ...estimate(store), ...counts }),
    stop: async () => {
      const stopped = new Error(`${name} was stopped`)
      hub.clear()
      controller.abort(stopped)
      waiters.fail(stopped)
      await running
    },
  }
}

function preparation<T extends KubeObject>(options: InformerOptions<T>): (object: T) => T {
  const { transform, freeze = false, keepManagedFields, metadataOnly = false, kind } = options
  const compactor = createCompactor({ keepManagedFields })
  // Of what is left out the server gives another kind.
  const own = { apiVersion: formatApiVersion(kind), kind: kind.kind }
  return (received) => {
    const whole = metadataOnly ? { ...received, ...own } : received
    const lean = keepManagedFields === true ? whole : withoutManagedFields(whole)
    // Only then: most of the time it takes is for what is not kept.
    const object = compactor.compact(transform === undefined ? lean : transform(lean))
    return freeze ? deepFreeze(object) : object
  }
}

function reflectorOptions<T extends KubeObject>(options: InformerOptions<T>) {
  return {
    backoff: { ...defaultBackoff, ...options.backoff },
    pageSize: options.pageSize ?? 500,
    watchList: options.watchList ?? true,
    watchSeconds: options.watchSeconds ?? 300,
    idleSlackMs: options.idleSlackMs ?? 30_000,
    initialIdleMs: options.initialIdleMs ?? 10_000,
    maxLineBytes: options.maxLineBytes ?? 64 * 1024 * 1024,
  }
}

async function resyncing<T extends KubeObject>(
  { resyncMs, client }: InformerOptions<T>,
  signal: AbortSignal,
  resync: () => void,
): Promise<void> {
  if (resyncMs === undefined) return
  const period = Math.max(1_000, resyncMs)
  while (!signal.aborted) {
    // A tenth more or less, so that informers do not all resync at once.
    const wait = period * (0.9 + client.clock.random() / 5)
    await client.clock.sleep(wait, signal).catch(() => undefined)
    if (!signal.aborted) resync()
  }
}

function estimate<T extends KubeObject>(
  store: ReadStore<T>,
): { bytes: number; bytesPerObject: number } {
  const { size } = store
  if (size === 0) return { bytes: 0, bytesPerObject: 0 }
  const objects = store.list()
  const step = Math.max(1, Math.floor(size / sampleSize))
  const counted = new Set<string>()
  let sampled = 0
  let bytes = 0
  for (let at = 0; at < size; at += step) {
    bytes += heapSize(objects[at], counted)
    sampled++
  }
  const bytesPerObject = Math.round(bytes / sampled)
  return { bytes: bytesPerObject * size, bytesPerObject }
}
