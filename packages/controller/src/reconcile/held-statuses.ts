import { isDeepStrictEqual } from 'node:util'
import { formatKey, type KubeObject } from '@agents/kube'
import { WriteRate } from './write-rate.ts'

interface Held {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** The status on the server. */
  readonly instead: unknown
  readonly status: object
  readonly since: number
}

/**
 * Statuses that are not written yet because they are likely to change soon. They are lost with the process, as if it
 * had ended just before the write, so a held status must be computable again.
 */
export class HeldStatuses {
  readonly #held = new Map<string, Held>()
  readonly #writes = new WriteRate()

  /** The object with its held status, if it has one. */
  appliedTo<T extends KubeObject>(object: T): T {
    const held = this.#of(object)
    return held ? { ...object, status: held.status } : object
  }

  /** Milliseconds for which the status is still held; 0 means that it has to be written now. */
  hold(object: KubeObject, status: object, holdForMs: number, now: Date): number {
    const key = formatKey(object.metadata)
    const { uid, resourceVersion } = object.metadata
    const since = this.#of(object)?.since ?? now.getTime()
    const leftMs = since + holdForMs - now.getTime()
    this.#held.delete(key)
    // After the wall clock was set back, more time than requested can be left.
    if (leftMs <= 0 || leftMs > holdForMs) return 0
    this.#sweep(now)
    this.#held.set(key, { uid, resourceVersion, instead: object.status, status, since })
    return leftMs
  }

  countWrite(now: Date): void {
    this.#writes.count(now)
  }

  /** Whether a write less for each object matters more than showing a change at once. */
  isBusy(now: Date): boolean {
    return this.#writes.perSecond(now) > busyWritesPerSecond
  }

  drop({ metadata }: KubeObject): void {
    if (this.#held.size > 0) this.#held.delete(formatKey(metadata))
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

  /** Drops the statuses of deleted objects. */
  #sweep(now: Date): void {
    for (const [key, { since }] of this.#held) {
      if (since > now.getTime() - forgottenMs) return
      this.#held.delete(key)
    }
  }
}

/** People who look at single runs cause fewer. */
const busyWritesPerSecond = 20

/** Much longer than any status is held. */
const forgottenMs = 600_000
