import type { Clock } from '@agents/controller'
import {
  createInformer,
  formatKey,
  type Informer,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  sameJson,
} from '@agents/kube'
import { type Logger, redact } from '@agents/log'
import { sanitize } from '../document/sanitize.ts'
import { isClusterMade } from './cluster-made.ts'
import { kindRefOf, type ResourceType, typeName } from './resource-type.ts'

/** `listing` until all that exists was seen. Blocked ones are tried again by themselves and hold up no other stream. */
export type StreamState =
  | { readonly kind: 'listing' | 'live' }
  | { readonly kind: 'forbidden' | 'missing' | 'disconnected'; readonly message: string }

export interface StreamListener {
  /** An object came, changed in a way that a manifest shows, or went. `before` is how it was, unless it came. */
  onObject(key: ObjectKey, before: KubeObject | undefined): void
  /** The state is another one, or all that exists was seen anew. */
  onState(): void
}

export interface StreamOptions {
  readonly client: KubeClient
  readonly type: ResourceType
  /** Undefined: all. */
  readonly namespace: string | undefined
  readonly clock: Clock
  readonly log: Logger
  /** How long a broken stream counts as live: most are back at once. */
  readonly graceMs?: number
}

const GRACE_MS = 3_000

/** All objects of one type and scope, kept in step with the server, whoever looks at them. */
export class Stream {
  readonly #options: StreamOptions
  readonly #informer: Informer<KubeObject>
  readonly #listeners = new Set<StreamListener>()
  #failure: { readonly error: unknown; readonly at: number } | undefined
  #cancelGrace = (): void => undefined

  constructor(options: StreamOptions) {
    this.#options = options
    const { client, type, namespace } = options
    this.#informer = createInformer<KubeObject>({
      client: { ...client, watch: this.#watched(client) },
      kind: kindRefOf(type),
      namespace,
      transform: compact,
      onError: (error, action) => {
        if (action === 'handler') options.log.error('a stream is not heard', { error })
        else this.#failed(error)
      },
    })
    this.#informer.addHandler({
      onAdd: (object, { isInInitialList }) => {
        if (!isInInitialList) this.#changed(object, undefined)
      },
      onUpdate: (before, after) => {
        if (!looksSame(before, after)) this.#changed(after, before)
      },
      onDelete: (object) => this.#changed(object, object),
    })
    this.#informer.waitForSync({ timeoutMs: 2 ** 31 - 1 }).then(
      () => this.#notify(),
      () => undefined,
    )
    this.#informer.start()
  }

  get state(): StreamState {
    const failure = this.#failure
    if (failure === undefined) return { kind: this.#informer.hasSynced() ? 'live' : 'listing' }
    const { error, at } = failure
    const message = messageOf(error, this.#options.type)
    if (isForbidden(error)) return { kind: 'forbidden', message }
    if (isNotFound(error)) return { kind: 'missing', message }
    const isShort = this.#options.clock.elapsed() - at < this.#graceMs
    if (isShort && this.#informer.hasSynced()) return { kind: 'live' }
    return { kind: 'disconnected', message }
  }

  get hasSynced(): boolean {
    return this.#informer.hasSynced()
  }

  objects(): KubeObject[] {
    return this.#informer.store.list()
  }

  get(key: ObjectKey): KubeObject | undefined {
    return this.#informer.store.get(key)
  }

  listen(listener: StreamListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  stop(): Promise<void> {
    this.#cancelGrace()
    this.#listeners.clear()
    return this.#informer.stop()
  }

  /** The informer does not say when a watch is open again; its client does. */
  #watched(client: KubeClient): KubeClient['watch'] {
    return async (kind, options) => {
      const stream = await client.watch(kind, options)
      this.#recovered()
      return stream
    }
  }

  #failed(error: unknown): void {
    const { clock, log, type, namespace } = this.#options
    const isFirst = this.#failure === undefined
    this.#failure = { error, at: this.#failure?.at ?? clock.elapsed() }
    if (isFirst) log.warn('a stream broke off', { resource: typeName(type), namespace, error })
    this.#notify()
    if (!isFirst) return
    this.#cancelGrace = clock.after(this.#graceMs, () => this.#notify())
  }

  #recovered(): void {
    if (this.#failure === undefined) return
    this.#failure = undefined
    this.#cancelGrace()
    this.#notify()
  }

  get #graceMs(): number {
    return this.#options.graceMs ?? GRACE_MS
  }

  #changed({ metadata }: KubeObject, before: KubeObject | undefined): void {
    const { namespace, name } = metadata
    for (const listener of [...this.#listeners]) listener.onObject({ namespace, name }, before)
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener.onState()
  }
}

export const streamKey = (type: ResourceType, namespace: string | undefined): string =>
  formatKey({ namespace, name: `${typeName(type)}/${type.version}` })

/** What no manifest shows is not kept. */
const compact = (object: KubeObject): KubeObject => {
  const { status: _observed, ...rest } = object
  const { annotations } = rest.metadata
  if (annotations?.[LAST_APPLIED] === undefined) return rest
  const { [LAST_APPLIED]: _copy, ...kept } = annotations
  return { ...rest, metadata: { ...rest.metadata, annotations: kept } }
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Labels and origin are compared as they are: rules choose by them, also by those that no manifest shows. */
const looksSame = (before: KubeObject, after: KubeObject): boolean =>
  (before.metadata.deletionTimestamp === undefined) ===
    (after.metadata.deletionTimestamp === undefined) &&
  isClusterMade(before) === isClusterMade(after) &&
  sameJson(before.metadata.labels, after.metadata.labels) &&
  sameJson(sanitize(before), sanitize(after))

const messageOf = (error: unknown, type: ResourceType): string => {
  if (isForbidden(error)) {
    return `the operator may not list and watch ${typeName(type)}: grant it in RBAC`
  }
  if (isNotFound(error)) return `the server serves no ${typeName(type)} any more`
  const text = error instanceof Error ? error.message : String(error)
  return redact(`${typeName(type)}: ${text}`).slice(0, 500)
}
