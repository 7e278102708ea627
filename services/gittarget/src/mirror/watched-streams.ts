import type { KubeObject, ObjectKey } from '@agents/kube'
import type { ManifestIdentity } from '../document/identity.ts'
import type { WatchedType } from './desired-state.ts'
import type { StreamReport } from './mirror-state.ts'
import { type ResourceType, typeName } from './resource-type.ts'
import type { Selection } from './selection.ts'
import { streamKey } from './stream.ts'
import type { StreamLease, StreamPool } from './stream-pool.ts'

export interface WatchedListener {
  /** `wasWanted`: a rule chose it as it was before, and wants to know when it is gone. */
  onObject(type: ResourceType, key: ObjectKey, wasWanted: boolean): void
  onState(): void
}

interface Held extends WatchedType {
  readonly lease: StreamLease
}

/** The streams that one target holds, and what its rules take from each. */
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

  /** Takes up the streams that are new and lets go of those that nobody asks for any more. */
  select(selections: readonly Selection[]): void {
    const wanted = Map.groupBy(selections, ({ type, namespace }) => streamKey(type, namespace))
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
      else if (first !== undefined) this.#held.set(key, this.#take(first, own))
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

  /** Whether a stream is live whose objects were not part of the last comparison. */
  hasNews(): boolean {
    return [...this.#held].some(
      ([key, { stream }]) => !this.#seen.has(key) && stream.state.kind === 'live',
    )
  }

  /** All that is watched, to be compared now. */
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

  #take({ type, namespace }: Selection, selections: readonly Selection[]): Held {
    const own = () => this.#held.get(streamKey(type, namespace))?.selections ?? []
    const lease = this.#pool.acquire(type, namespace, {
      onObject: (key, before) => this.#listener.onObject(type, key, wantedBy(own(), before)),
      onState: () => this.#listener.onState(),
    })
    return { type, selections, stream: lease.stream, lease }
  }
}

const wantedBy = (selections: readonly Selection[], object: KubeObject | undefined): boolean =>
  object !== undefined &&
  selections.some(({ operations, chooses }) => operations.has('DELETE') && chooses(object))
