import { type KubeObject, type ObjectKey, sameJson } from '@agents/kube'
import type { ManifestIdentity } from '../../document/identity.ts'
import type { ObjectChange } from '../authors/change-authors.ts'
import { manifestOf } from '../selection/ignored.ts'
import { type ResourceType, typeName } from '../selection/resource-type.ts'
import type { Selection } from '../selection/selection.ts'
import { type Stream, type StreamState, streamKey } from './stream.ts'
import type { StreamLease, StreamPool } from './stream-pool.ts'

/** A stream and the selections of a target's rules on it. */
export interface WatchedType {
  readonly type: ResourceType
  readonly stream: Pick<Stream, 'objects' | 'get' | 'state' | 'hasSynced'>
  readonly selections: readonly Selection[]
}

export interface StreamReport {
  /** Such as `deployments.apps`. */
  readonly resource: string
  readonly rules: readonly string[]
  readonly state: StreamState
}

interface WatchedListener {
  /** `wasSelected`: a rule selected the previous state of the object and mirrors deletions. */
  onObject(type: ResourceType, key: ObjectKey, wasSelected: boolean, change: ObjectChange): void
  onState(): void
}

interface Held extends WatchedType {
  readonly lease: StreamLease
}

/** The streams of one target, and the selections of its rules on each. */
export class WatchedStreams {
  readonly #pool: StreamPool
  readonly #listener: WatchedListener
  readonly #held = new Map<string, Held>()
  /** Streams whose objects were part of the last comparison. */
  readonly #seen = new Set<string>()

  constructor(pool: StreamPool, listener: WatchedListener) {
    this.#pool = pool
    this.#listener = listener
  }

  /** Opens new streams and releases those that no rule requires any more. */
  select(selections: readonly Selection[]): void {
    const keys = streamKeys(selections)
    const wanted = Map.groupBy(selections, (selection) => keys.get(selection) ?? '')
    for (const [key, held] of this.#held) {
      if (wanted.has(key)) continue
      held.lease.release()
      this.#held.delete(key)
      this.#seen.delete(key)
    }
    for (const [key, own] of wanted) {
      const [first] = own
      const held = this.#held.get(key)
      if (held !== undefined) this.#held.set(key, { ...held, selections: own })
      else if (first !== undefined) this.#held.set(key, this.#take(key, first, own))
    }
  }

  list(): readonly WatchedType[] {
    return [...this.#held.values()]
  }

  typeOf({ group, kind }: ManifestIdentity): ResourceType | undefined {
    return this.list().find(({ type }) => type.group === group && type.kind === kind)?.type
  }

  isListing(): boolean {
    return this.list().some(({ stream }) => stream.state.kind === 'listing')
  }

  /** Whether a live stream was not part of the last comparison. */
  hasNews(): boolean {
    return [...this.#held].some(
      ([key, { stream }]) => !this.#seen.has(key) && stream.state.kind === 'live',
    )
  }

  /** Marks all synced streams as part of the current comparison. */
  markSeen(): readonly WatchedType[] {
    this.#seen.clear()
    for (const [key, { stream }] of this.#held) if (stream.hasSynced) this.#seen.add(key)
    return this.list()
  }

  reports(): StreamReport[] {
    return this.list().map(({ type, stream, selections }) => ({
      resource: typeName(type),
      rules: [...new Set(selections.map(({ rule }) => rule))],
      state: stream.state,
    }))
  }

  #take(key: string, { type, namespace }: Selection, selections: readonly Selection[]): Held {
    const own = () => this.#held.get(key)?.selections ?? []
    const scope = { namespace, includesStatus: selections.some((each) => each.includesStatus) }
    const lease = this.#pool.acquire(type, scope, {
      onObject: (object, before, change) => {
        if (isIgnoredChange(own(), before, lease.stream.get(object))) return
        this.#listener.onObject(type, object, isSelectedForDeletion(own(), before), change)
      },
      onState: () => this.#listener.onState(),
    })
    return { type, selections, stream: lease.stream, lease }
  }
}

/** Selections of the same type and namespace share a stream, which includes the status if one of them does. */
function streamKeys(selections: readonly Selection[]): Map<Selection, string> {
  const own = Map.groupBy(selections, ({ type, namespace }) => streamKey(type, namespace, false))
  return new Map(
    [...own.values()].flatMap((shared) => {
      const includesStatus = shared.some((each) => each.includesStatus)
      return shared.map((each) => {
        const { type, namespace } = each
        return [each, streamKey(type, namespace, includesStatus)] as const
      })
    }),
  )
}

function isSelectedForDeletion(
  selections: readonly Selection[],
  object: KubeObject | undefined,
): boolean {
  return (
    object !== undefined &&
    selections.some(({ operations, selects }) => operations.has('DELETE') && selects(object))
  )
}

/** Whether the file of a selected object stays as it is, because the target ignores who or what was changed. */
function isIgnoredChange(
  selections: readonly Selection[],
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): boolean {
  const choosing = after === undefined ? [] : selections.filter(({ selects }) => selects(after))
  const includesStatus = choosing.some((each) => each.includesStatus)
  const ignored = choosing[0]?.ignored
  if (after === undefined || ignored === undefined) return false
  if (after.metadata.deletionTimestamp !== undefined) return false
  if (ignored.isWriteIgnored(after, includesStatus)) return true
  const shown = { ignored, includesStatus }
  return (
    before !== undefined &&
    ignored.fields.length > 0 &&
    before.metadata.deletionTimestamp === undefined &&
    selections.some(({ selects }) => selects(before)) &&
    sameJson(manifestOf(before, shown), manifestOf(after, shown))
  )
}
