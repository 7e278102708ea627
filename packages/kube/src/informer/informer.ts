import type { KubeClient } from '../client/kube-client.ts'
import type { Scope, View } from '../client/list-options.ts'
import { sleep } from '../clock/clock.ts'
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
  namespaceIndex,
  type ReadStore,
} from './indexed-store.ts'
import type { Indexer } from './indexes.ts'
import { reflect } from './reflector.ts'
import { createWaiters, hasReached, type WaitOptions } from './waiters.ts'

/** A copy of all objects of a kind in a scope, kept up to date by one watch. */
export interface Informer<T extends KubeObject> {
  readonly kind: KindRef<T>
  readonly scope: Scope
  readonly store: ReadStore<T>
  /** Idempotent. */
  start(): void
  /** Existing objects are delivered at once, as adds of the initial list; changes follow. */
  addHandler(handler: InformerHandler<T>): Registration
  addIndexers(indexers: Readonly<Record<string, Indexer<T>>>): void
  hasSynced(): boolean
  /** Rejects with an InformerTimeoutError after `timeoutMs`, by default two minutes. */
  waitForSync(options?: WaitOptions): Promise<void>
  /** The resource version up to which the store is current. */
  readonly revision: string | undefined
  /** Resolves when the store has reached that resource version, so that reads see a write that returned it. */
  waitForRevision(revision: string, options?: WaitOptions): Promise<void>
  stats(): InformerStats
  /** After this call, no handler is called. */
  stop(): Promise<void>
}

interface InformerStats {
  readonly objects: number
  /** The memory of the objects, estimated from a sample. */
  readonly bytes: number
  readonly bytesPerObject: number
  /** How often the whole state was fetched. More than once indicates gaps in the watch. */
  readonly replaces: number
  readonly events: number
  readonly failures: number
}

export interface InformerOptions<T extends KubeObject> extends View {
  readonly client: KubeClient
  readonly kind: KindRef<T>
  /** Changes objects before they are stored, after managedFields were removed. Must be idempotent. */
  readonly transform?: ((object: T) => T) | undefined
  readonly indexers?: Readonly<Record<string, Indexer<T>>> | undefined
  readonly keepManagedFields?: boolean | undefined
  /** Freezes objects, so that a change to a shared object throws. Slow: for development and tests. */
  readonly freeze?: boolean | undefined
  /** The interval at which every cached object is delivered again as an update. At least 1,000; by default never. */
  readonly resyncMs?: number | undefined
  /** Default true. */
  readonly watchList?: boolean | undefined
  readonly pageSize?: number | undefined
  readonly watchSeconds?: number | undefined
  readonly idleSlackMs?: number | undefined
  readonly initialIdleMs?: number | undefined
  readonly maxLineBytes?: number | undefined
  readonly backoff?: Partial<BackoffOptions> | undefined
  /** Called with each error, for the log. Everything is retried. */
  readonly onError?: ((error: unknown, action: 'list' | 'watch' | 'handler') => void) | undefined
}

const syncTimeoutMs = 120_000
const sampleSize = 256

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { client, kind, namespace, labelSelector, fieldSelector, metadataOnly, fields } = options
  const scope = { namespace, labelSelector, fieldSelector }
  const store = createStore<T>({ [namespaceIndex]: byNamespace, ...options.indexers })
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
    const withoutManagedFields = options.keepManagedFields !== true
    const view = { ...scope, metadataOnly, fields, withoutManagedFields }
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
  // Metadata-only responses have another kind.
  const own = { apiVersion: formatApiVersion(kind), kind: kind.kind }
  return (received) => {
    const whole = metadataOnly ? { ...received, ...own } : received
    const lean = keepManagedFields === true ? whole : withoutManagedFields(whole)
    // Compacts after the removals, because most of its time would go into fields that are not kept.
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
    // Jitter of 10 %, so that informers do not all resync at once.
    const wait = period * (0.9 + client.random() / 5)
    await sleep(client.clock, wait, signal)
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
