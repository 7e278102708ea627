import { formatKey, isAtLeastRevision, type KubeObject } from '@agents/kube'

/** The part of a cache that OwnWrites needs. */
export interface ObjectCache<T extends KubeObject = KubeObject> {
  get(key: string): T | undefined
  /** All changes up to this version are in the cache. */
  readonly resourceVersion: string | undefined
  /** For a cache of several namespaces: the version up to which the namespace of this key is complete. */
  resourceVersionAt?(key: string): string | undefined
}

/**
 * A cache that is never older than the writes through it. The response to a write is kept until the cache has it, so
 * that a reconcile never acts on the state before its own write, and never creates an object twice.
 */
export class OwnWrites<T extends KubeObject = KubeObject> {
  readonly #cache: ObjectCache<T>
  readonly #written = new Map<string, T>()

  constructor(cache: ObjectCache<T>) {
    this.#cache = cache
  }

  get(key: string): T | undefined {
    const cached = this.#cache.get(key)
    const written = this.#written.get(key)
    if (!written) return cached
    if (!this.#isBehind(key, cached, written)) {
      this.#written.delete(key)
      return cached
    }
    return written
  }

  /** To be called with the response to each create and patch. */
  remember(object: T): void {
    const key = formatKey(object.metadata)
    this.#written.set(key, object)
    // The cache may have received the event already; the read drops the copy then.
    this.get(key)
  }

  /** To be called when the object was deleted: by an event, or by a NotFound response. */
  forget(key: string): void {
    this.#written.delete(key)
  }

  /** Whether the cache does not have the last write of this key yet. */
  isAhead(key: string): boolean {
    const written = this.#written.get(key)
    return written !== undefined && this.#isBehind(key, this.#cache.get(key), written)
  }

  get size(): number {
    return this.#written.size
  }

  #isBehind(key: string, cached: T | undefined, written: T): boolean {
    const wanted = written.metadata.resourceVersion ?? ''
    const seen = cached ? cached.metadata.resourceVersion : this.#seenAt(key)
    return !isAtLeastRevision(seen, wanted)
  }

  #seenAt(key: string): string | undefined {
    const cache = this.#cache
    return cache.resourceVersionAt ? cache.resourceVersionAt(key) : cache.resourceVersion
  }
}
