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
import { outcomeOf } from '../../document/outcome.ts'
import { sanitize } from '../../document/sanitize.ts'
import type { ObjectChange, RequestedObject } from '../authors/change-authors.ts'
import { changedBy, withFieldDigests } from '../authors/field-managers.ts'
import { isClusterManaged } from '../selection/cluster-managed.ts'
import { kindRefOf, type ResourceType, typeName } from '../selection/resource-type.ts'

/** `listing` until all existing objects were read. Blocked streams are retried and do not block others. */
export type StreamState =
  | { readonly kind: 'listing' | 'live' }
  | { readonly kind: 'forbidden' | 'missing' | 'disconnected'; readonly message: string }

export interface StreamListener {
  /**
   * An object was created, changed in a way that its manifest shows, or deleted. `before` is its previous state, if
   * any.
   */
  onObject(key: ObjectKey, before: KubeObject | undefined, change: ObjectChange): void
  /** The state changed, or all existing objects were listed again. */
  onState(): void
}

interface StreamOptions {
  readonly client: KubeClient
  readonly type: ResourceType
  /** If undefined, all namespaces. */
  readonly namespace: string | undefined
  /** Whether objects keep their status, and changes of it are reported. */
  readonly includesStatus?: boolean
  readonly clock: Clock
  readonly log: Logger
  /** How long a disconnected stream counts as live, because most reconnect at once. */
  readonly graceMs?: number
}

const defaultGraceMs = 3_000

/** All objects of one type and scope, kept up to date by a watch. */
export class Stream {
  readonly #options: StreamOptions
  readonly #informer: Informer<KubeObject>
  readonly #listeners = new Set<StreamListener>()
  #failure: { readonly error: unknown; readonly at: number } | undefined
  #cancelGrace = (): void => undefined

  constructor(options: StreamOptions) {
    this.#options = options
    const { client, type, namespace, includesStatus = false } = options
    this.#informer = createInformer<KubeObject>({
      client: { ...client, watch: this.#watched(client) },
      kind: kindRefOf(type),
      namespace,
      keepManagedFields: true,
      transform: (object) => compact(object, includesStatus),
      onError: (error, action) => {
        if (action === 'handler') options.log.error('stream handler failed', { error })
        else this.#failed(error)
      },
    })
    this.#informer.addHandler({
      onAdd: (object, { isInInitialList }) => {
        if (isInInitialList) return
        this.#changed(object, undefined, this.#changeTo(object, undefined))
      },
      onUpdate: (before, after) => {
        if (isUnchanged(before, after)) return
        this.#changed(after, before, this.#changeTo(after, before))
      },
      onDelete: (object, { finalStateUnknown }) => {
        const { resourceVersion } = object.metadata
        this.#changed(object, object, {
          object: this.#requested(object),
          effect: 'delete',
          write: undefined,
          resourceVersion: finalStateUnknown ? undefined : resourceVersion,
          previousVersion: undefined,
          seenMs: options.clock.now().getTime(),
        })
      },
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

  /** The informer does not report when a watch is open again, but its client does. */
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
    if (isFirst) log.warn('watch stream failed', { resource: typeName(type), namespace, error })
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
    return this.#options.graceMs ?? defaultGraceMs
  }

  #changeTo(after: KubeObject, before: KubeObject | undefined): ObjectChange {
    const { clock, includesStatus = false } = this.#options
    const { resourceVersion, deletionTimestamp } = after.metadata
    const effect =
      deletionTimestamp !== undefined ? 'delete' : before === undefined ? 'create' : 'update'
    return {
      object: this.#requested(after),
      effect,
      write: changedBy(before, after, includesStatus),
      resourceVersion,
      previousVersion: before?.metadata.resourceVersion,
      seenMs: clock.now().getTime(),
    }
  }

  #requested({ metadata: { namespace = '', name } }: KubeObject): RequestedObject {
    const { group, resource } = this.#options.type
    return { group, resource, namespace, name }
  }

  #changed(
    { metadata: { namespace, name } }: KubeObject,
    before: KubeObject | undefined,
    change: ObjectChange,
  ): void {
    for (const listener of [...this.#listeners]) {
      listener.onObject({ namespace, name }, before, change)
    }
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener.onState()
  }
}

export function streamKey(
  type: ResourceType,
  namespace: string | undefined,
  includesStatus: boolean,
): string {
  const name = `${typeName(type)}/${type.version}${includesStatus ? '/status' : ''}`
  return formatKey({ namespace, name })
}

/** Drops fields that no manifest shows. */
function compact(object: KubeObject, includesStatus: boolean): KubeObject {
  const { status, ...stated } = withFieldDigests(object)
  const outcome = includesStatus ? outcomeOf(status) : undefined
  const rest = outcome === undefined ? stated : { ...stated, status: outcome }
  const { annotations } = rest.metadata
  if (annotations?.[lastApplied] === undefined) return rest
  const { [lastApplied]: _copy, ...kept } = annotations
  return { ...rest, metadata: { ...rest.metadata, annotations: kept } }
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** Compares labels and ownership unsanitized, because rules also select by those that no manifest shows. */
function isUnchanged(before: KubeObject, after: KubeObject): boolean {
  return (
    (before.metadata.deletionTimestamp === undefined) ===
      (after.metadata.deletionTimestamp === undefined) &&
    isClusterManaged(before) === isClusterManaged(after) &&
    sameJson(before.metadata.labels, after.metadata.labels) &&
    // Only streams that include it have a status.
    sameJson(before.status, after.status) &&
    sameJson(sanitize(before), sanitize(after))
  )
}

function messageOf(error: unknown, type: ResourceType): string {
  if (isForbidden(error)) {
    return `the operator is not allowed to list and watch ${typeName(type)}; grant the permission with RBAC`
  }
  if (isNotFound(error)) return `the server no longer serves ${typeName(type)}`
  const text = error instanceof Error ? error.message : String(error)
  return redact(`${typeName(type)}: ${text}`).slice(0, 500)
}
