/** How many pods run at a time. Those that find no place wait, the oldest first. */
export class PodSlots {
  readonly #most: number
  readonly #taken = new Set<string>()
  /** Keys of pods that are being created for this node. */
  readonly #reserved = new Set<string>()
  /** When the pod was created, by its key. */
  readonly #waiting = new Map<string, string>()

  constructor(most: number) {
    this.#most = most
  }

  /** For a pod that is on the node already, whether there is a place or not. */
  occupy(uid: string, key: string): void {
    this.#reserved.delete(key)
    this.#taken.add(uid)
  }

  /** For a pod that is about to be created on the node. Not while others wait: they go first. */
  reserve(key: string): boolean {
    if (this.#isFull || this.#waiting.size > 0) return false
    this.#reserved.add(key)
    return true
  }

  /** The pod was not created after all: whose turn it is instead, as `free`. */
  unreserve(key: string): string | undefined {
    return this.#reserved.delete(key) ? this.#next() : undefined
  }

  /** Older ones that wait go first. */
  take(uid: string, key: string, createdAt: string): boolean {
    if (this.#taken.has(uid)) return true
    if (this.#isFull) {
      this.#waiting.set(key, createdAt)
      return false
    }
    this.#waiting.delete(key)
    this.#taken.add(uid)
    return true
  }

  /** The key of the pod that has waited longest, now that there is a place for it. */
  free(uid: string): string | undefined {
    return this.#taken.delete(uid) ? this.#next() : undefined
  }

  /** The pod is gone before it got a place. */
  forget(key: string): void {
    this.#waiting.delete(key)
    this.#reserved.delete(key)
  }

  get #isFull(): boolean {
    return this.#taken.size + this.#reserved.size >= this.#most
  }

  #next(): string | undefined {
    if (this.#isFull) return undefined
    let oldest: string | undefined
    for (const [key, createdAt] of this.#waiting) {
      const best = oldest === undefined ? undefined : this.#waiting.get(oldest)
      if (best === undefined || createdAt < best) oldest = key
    }
    if (oldest !== undefined) this.#waiting.delete(oldest)
    return oldest
  }

  get taken(): number {
    return this.#taken.size
  }

  get waiting(): number {
    return this.#waiting.size
  }
}
