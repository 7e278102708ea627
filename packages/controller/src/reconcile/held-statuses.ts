import { isDeepStrictEqual } from 'node:util'
import { formatKey, type KubeObject } from '@agents/kube'
import { ChangeRate } from './change-rate.ts'

interface Held {
  readonly namespace: string
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** The status on the server. */
  readonly instead: unknown
  readonly status: object
  readonly since: number
  readonly holdForMs: number
}

/**
 * Statuses that are not written yet because they are likely to change soon. They are lost with the process, as if it
 * had ended just before the write, so a held status must be computable again.
 */
export class HeldStatuses {
  readonly #held = new Map<string, Held>()
  /** How many are held by namespace. */
  readonly #counts = new Map<string, number>()
  readonly #changes = new ChangeRate()

  /** The object with its held status, if it has one. */
  appliedTo<T extends KubeObject>(object: T): T {
    const held = this.#of(object)
    return held ? { ...object, status: held.status } : object
  }

  /**
   * Milliseconds for which the status is still held; 0 means that it has to be written now. Call `drop` when it has
   * been: if the write fails, the status is due when it is tried again, too.
   */
  hold(object: KubeObject, status: object, holdForMs: number, now: Date): number {
    const key = formatKey(object.metadata)
    const { namespace = '', uid, resourceVersion } = object.metadata
    const before = this.#of(object)
    const since = before?.since ?? now.getTime()
    const leftMs = since + holdForMs - now.getTime()
    // After the wall clock was set back, more time than requested can be left.
    if (leftMs <= 0 || leftMs > holdForMs) return 0
    this.#remove(key)
    this.#sweep(now)
    // A burst whose statuses are held is still a burst, although few are written.
    if (before === undefined) this.#changes.count(now)
    const instead = object.status
    this.#held.set(key, { namespace, uid, resourceVersion, instead, status, since, holdForMs })
    this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + 1)
    return leftMs
  }

  countWrite(now: Date): void {
    this.#changes.count(now)
  }

  /**
   * How long the status of an object may be held. A status that was held in a burst keeps its deadline after the burst
   * while many statuses of its namespace are held, so that they are not all written at the same moment.
   */
  longestMs(
    object: KubeObject,
    now: Date,
    { usualMs, holdWhenBusyMs }: { readonly usualMs: number | undefined; holdWhenBusyMs: number },
  ): number | undefined {
    if (this.isBusy(now)) return this.busyHoldMs(object, Math.max(holdWhenBusyMs, usualMs ?? 0))
    const before = this.#of(object)?.holdForMs ?? 0
    const count = this.#counts.get(object.metadata.namespace ?? '') ?? 0
    // Otherwise a state that is not usually held has to be written.
    const isKept = before >= holdWhenBusyMs && count > busyChangesPerSecond
    return isKept ? Math.max(before, usualMs ?? 0) : usualMs
  }

  /** Whether a write less for each object matters more than showing a change at once. */
  isBusy(now: Date): boolean {
    return this.#changes.perSecond(now) > busyChangesPerSecond
  }

  /**
   * How long the status of an object is held during a burst. The time grows with the number of statuses that are held
   * in the namespace, and never shrinks: the last objects of a burst are about to finish.
   */
  busyHoldMs(object: KubeObject, leastMs: number): number {
    const count = this.#counts.get(object.metadata.namespace ?? '') ?? 0
    const forCount = Math.min(longestBusyMs, count * msPerHeld)
    return Math.max(leastMs, forCount, this.#of(object)?.holdForMs ?? 0)
  }

  drop({ metadata }: KubeObject): void {
    if (this.#held.size > 0) this.#remove(formatKey(metadata))
  }

  get size(): number {
    return this.#held.size
  }

  /** A held status does not apply to another object of the name, nor if the status was changed since. */
  #of({ metadata, status }: KubeObject): Held | undefined {
    if (this.#held.size === 0) return undefined
    const held = this.#held.get(formatKey(metadata))
    if (held === undefined || held.uid !== metadata.uid) return undefined
    const isSame =
      held.resourceVersion === metadata.resourceVersion || isDeepStrictEqual(held.instead, status)
    return isSame ? held : undefined
  }

  #remove(key: string): void {
    const held = this.#held.get(key)
    if (held === undefined) return
    this.#held.delete(key)
    const left = (this.#counts.get(held.namespace) ?? 1) - 1
    if (left > 0) this.#counts.set(held.namespace, left)
    else this.#counts.delete(held.namespace)
  }

  /** Drops the statuses of deleted objects. */
  #sweep(now: Date): void {
    for (const [key, { since }] of this.#held) {
      if (since > now.getTime() - forgottenMs) return
      this.#remove(key)
    }
  }
}

/** People who look at single runs cause fewer. */
const busyChangesPerSecond = 20

/**
 * Limits the writes of held statuses to about ten per second and namespace. Counted by namespace, so that the burst of
 * one tenant does not delay the statuses of another.
 */
const msPerHeld = 100

/** No status is held longer. */
const longestBusyMs = 60_000

/** Much longer than any status is held. */
const forgottenMs = 600_000
