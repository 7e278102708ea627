import { isDeepStrictEqual } from 'node:util'
import { formatKey, type KubeObject } from '@agents/kube'

interface Held {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  /** What the server has instead. */
  readonly instead: unknown
  readonly status: object
  readonly since: number
}

/**
 * Statuses that are known and not written yet, since they are likely to be different soon. They are lost with the process, as
 * if it had ended just before the write: whoever holds one back must be able to find it out again.
 */
export class HeldStatuses {
  readonly #held = new Map<string, Held>()

  /** The object as it would be if everything had been written. */
  appliedTo<T extends KubeObject>(object: T): T {
    const held = this.#of(object)
    return held ? { ...object, status: held.status } : object
  }

  /** Milliseconds for which the status is held back from now on; 0: it is time to write it. */
  hold(object: KubeObject, status: object, tellAfterMs: number, now: Date): number {
    const key = formatKey(object.metadata)
    const { uid, resourceVersion } = object.metadata
    const since = this.#of(object)?.since ?? now.getTime()
    const leftMs = since + tellAfterMs - now.getTime()
    this.#held.delete(key)
    // More than was asked for is left after the clock was set back.
    if (leftMs <= 0 || leftMs > tellAfterMs) return 0
    this.#sweep(now)
    this.#held.set(key, { uid, resourceVersion, instead: object.status, status, since })
    return leftMs
  }

  drop({ metadata }: KubeObject): void {
    if (this.#held.size > 0) this.#held.delete(formatKey(metadata))
  }

  get size(): number {
    return this.#held.size
  }

  /** Not of an earlier object of that name, nor when somebody else has written a status since. */
  #of({ metadata, status }: KubeObject): Held | undefined {
    if (this.#held.size === 0) return undefined
    const held = this.#held.get(formatKey(metadata))
    if (held === undefined || held.uid !== metadata.uid) return undefined
    const isSame =
      held.resourceVersion === metadata.resourceVersion || isDeepStrictEqual(held.instead, status)
    return isSame ? held : undefined
  }

  /** Of objects that went meanwhile nobody asks any more. */
  #sweep(now: Date): void {
    for (const [key, { since }] of this.#held) {
      if (since > now.getTime() - forgottenMs) return
      this.#held.delete(key)
    }
  }
}

/** Much longer than anything is held back. */
const forgottenMs = 600_000
