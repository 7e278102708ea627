import { formatKey, type KubeObject } from '@agents/kube'
import { isAtLeastVersion } from './resource-version.ts'

/** A cache as far as reading one's own writes needs it. */
export interface ObjectCache<T extends KubeObject = KubeObject> {
  get(key: string): T | undefined
  /** All changes up to this one have been seen. */
  readonly resourceVersion: string | undefined
  /** For a cache of several scopes: up to which change the scope of this key has been seen. */
  resourceVersionAt?(key: string): string | undefined
}

/**
 * A cache that is never behind what was written through it. What the server answered to a write is kept until the cache has
 * seen it; so nobody acts on the state before his own write, and nobody creates twice what the cache does not show yet.
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

  /** To be called with what the server answered to each create and patch. */
  remember(object: T): void {
    const key = formatKey(object.metadata)
    this.#written.set(key, object)
    // The cache may have been told before us; asking lets go of what it has seen.
    this.get(key)
  }

  /** The object is gone: a delete was seen, or the server said NotFound. */
  forget(key: string): void {
    this.#written.delete(key)
  }

  /** Whether the cache has not yet seen what was last written under this key. */
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
    return !isAtLeastVersion(seen, wanted)
  }

  #seenAt(key: string): string | undefined {
    const cache = this.#cache
    return cache.resourceVersionAt ? cache.resourceVersionAt(key) : cache.resourceVersion
  }
}
