/** Limits how many pods run at a time. Pods without a slot wait, the oldest first. */
export class PodSlots {
  readonly #most: number
  readonly #taken = new Set<string>()
  /** Keys of pods that are being created for this node. */
  readonly #reserved = new Set<string>()
  /** Creation times of waiting pods, by key. */
  readonly #waiting = new Map<string, string>()

  constructor(most: number) {
    this.#most = most
  }

  /** For a pod that is already on the node, whether a slot is free or not. */
  occupy(uid: string, key: string): void {
    this.#reserved.delete(key)
    this.#taken.add(uid)
  }

  /** Reserves a slot for a pod that is about to be created, unless other pods wait. */
  reserve(key: string): boolean {
    if (this.#isFull || this.#waiting.size > 0) return false
    this.#reserved.add(key)
    return true
  }

  /** To be called if the pod was not created. Returns the next pod, like `free`. */
  unreserve(key: string): string | undefined {
    return this.#reserved.delete(key) ? this.#next() : undefined
  }

  /** Older waiting pods come first. */
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

  /** Frees the slot, and returns the key of the pod that has waited longest. */
  free(uid: string): string | undefined {
    return this.#taken.delete(uid) ? this.#next() : undefined
  }

  /** To be called if the pod was deleted before it got a slot. */
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
