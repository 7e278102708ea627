/** How many pods run at a time. Those that find no place wait, the oldest first. */
export class PodSlots {
  readonly #most: number
  readonly #taken = new Set<string>()
  /** When the pod was created, by its key. */
  readonly #waiting = new Map<string, string>()

  constructor(most: number) {
    this.#most = most
  }

  /** For a pod that is on the node already, whether there is a place or not. */
  occupy(uid: string): void {
    this.#taken.add(uid)
  }

  /** Older ones that wait go first. */
  take(uid: string, key: string, createdAt: string): boolean {
    if (this.#taken.has(uid)) return true
    if (this.#taken.size >= this.#most) {
      this.#waiting.set(key, createdAt)
      return false
    }
    this.#waiting.delete(key)
    this.#taken.add(uid)
    return true
  }

  /** The key of the pod that has waited longest, now that there is a place for it. */
  free(uid: string): string | undefined {
    if (!this.#taken.delete(uid) || this.#taken.size >= this.#most) return undefined
    let oldest: string | undefined
    for (const [key, createdAt] of this.#waiting) {
      const best = oldest === undefined ? undefined : this.#waiting.get(oldest)
      if (best === undefined || createdAt < best) oldest = key
    }
    if (oldest !== undefined) this.#waiting.delete(oldest)
    return oldest
  }

  /** The pod is gone before it got a place. */
  forget(key: string): void {
    this.#waiting.delete(key)
  }

  get taken(): number {
    return this.#taken.size
  }

  get waiting(): number {
    return this.#waiting.size
  }
}
