import type { ManifestIdentity } from '../../document/identity.ts'

type Identities = Map<string, ManifestIdentity>

/** Changed objects by identity: those that wait to be written, and those of the current attempt. */
export class ChangedObjects {
  #waiting: Identities = new Map()
  #attempted: ReadonlyMap<string, ManifestIdentity> = new Map()

  /** Number of waiting and attempted objects. */
  get size(): number {
    return this.#waiting.size + this.#attempted.size
  }

  get waiting(): ReadonlyMap<string, ManifestIdentity> {
    return this.#waiting
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0
  }

  add(key: string, identity: ManifestIdentity): void {
    this.#waiting.set(key, identity)
  }

  /** Replaces all waiting objects. */
  replace(identities: ReadonlyMap<string, ManifestIdentity>): void {
    this.#waiting = new Map(identities)
  }

  drop(key: string): void {
    this.#waiting.delete(key)
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key)
  }

  isAttempted(key: string): boolean {
    return this.#attempted.has(key)
  }

  /**
   * Runs an attempt with all waiting objects. Objects that change meanwhile wait for the next attempt. If the attempt
   * fails, its objects wait again, unless a newer change replaces them.
   */
  async attempt(
    work: (batch: ReadonlyMap<string, ManifestIdentity>) => Promise<void>,
  ): Promise<void> {
    const batch = this.#waiting
    this.#waiting = new Map()
    this.#attempted = batch
    try {
      await work(batch)
    } catch (error) {
      this.#waiting = new Map([...batch, ...this.#waiting])
      throw error
    } finally {
      this.#attempted = new Map()
    }
  }

  /** Replaces the objects of the current attempt. */
  attempting(identities: ReadonlyMap<string, ManifestIdentity>): void {
    this.#attempted = identities
  }
}
