import type { EventNote } from './event-recorder.ts'
import { LruMap } from './lru-map.ts'

export interface CorrelatorOptions {
  /** Events that one object may have in a burst. Default 25. */
  readonly burst?: number
  /** Milliseconds until an object may have one more. Default 300 s. */
  readonly refillMs?: number
  /** Different messages of one reason before they are combined. Default 10. */
  readonly similar?: number
  /** Milliseconds within which events are similar. Default 600 s. */
  readonly similarMs?: number
  /** Objects and events remembered. Default 4096. */
  readonly capacity?: number
}

/** What to do with an event. Events that are counted as one have the same `key`. */
type Correlated =
  | { readonly kind: 'drop' }
  | { readonly kind: 'tell'; readonly key: string; readonly message: string }

interface Bucket {
  tokens: number
  filledAt: number
}

interface Group {
  readonly messages: Set<string>
  lastAt: number
}

/** Keeps an object with many different failures from flooding the cluster with events. */
export class EventCorrelator {
  readonly #burst: number
  readonly #refillMs: number
  readonly #similar: number
  readonly #similarMs: number
  readonly #buckets: LruMap<Bucket>
  readonly #groups: LruMap<Group>

  constructor(options: CorrelatorOptions = {}) {
    this.#burst = options.burst ?? 25
    this.#refillMs = options.refillMs ?? 300_000
    this.#similar = options.similar ?? 10
    this.#similarMs = options.similarMs ?? 600_000
    const { capacity = 4096 } = options
    this.#buckets = new LruMap(capacity)
    this.#groups = new LruMap(capacity)
  }

  /** `about` names the object; `elapsed` are monotonic milliseconds. */
  correlate(
    about: string,
    { type, reason, message, action }: EventNote,
    elapsed: number,
  ): Correlated {
    const groupKey = JSON.stringify([about, type, reason, action])
    const isCombined = this.#isCombined(groupKey, message, elapsed)
    if (!this.#hasToken(about, elapsed)) return { kind: 'drop' }
    if (isCombined) {
      return { kind: 'tell', key: groupKey, message: `(combined from similar events): ${message}` }
    }
    return { kind: 'tell', key: JSON.stringify([groupKey, message]), message }
  }

  #isCombined(key: string, message: string, elapsed: number): boolean {
    const known = this.#groups.get(key)
    const isRecent = known !== undefined && elapsed - known.lastAt <= this.#similarMs
    const group = isRecent ? known : { messages: new Set<string>(), lastAt: elapsed }
    group.lastAt = elapsed
    if (group.messages.size < this.#similar) group.messages.add(message)
    this.#groups.set(key, group)
    return group.messages.size >= this.#similar
  }

  #hasToken(about: string, elapsed: number): boolean {
    const bucket = this.#buckets.get(about) ?? { tokens: this.#burst, filledAt: elapsed }
    const gained = (elapsed - bucket.filledAt) / this.#refillMs
    bucket.tokens = Math.min(this.#burst, bucket.tokens + gained)
    bucket.filledAt = elapsed
    this.#buckets.set(about, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
