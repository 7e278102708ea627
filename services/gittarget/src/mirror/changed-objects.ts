import type { ManifestIdentity } from '../document/identity.ts'

type Identities = Map<string, ManifestIdentity>

/** Objects that changed, by identity: those that wait to be written, and those of the attempt under way. */
export class ChangedObjects {
  #waiting: Identities = new Map()
  #attempted: ReadonlyMap<string, ManifestIdentity> = new Map()

  /** Of both. */
  get size(): number {
    return this.#waiting.size + this.#attempted.size
  }

  get areWaiting(): boolean {
    return this.#waiting.size > 0
  }

  add(key: string, identity: ManifestIdentity): void {
    this.#waiting.set(key, identity)
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
   * An attempt at all that wait. What comes up meanwhile waits for the next; what the attempt could not do waits again, behind
   * nothing that is newer.
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

  /** The attempt under way turned out to be about these. */
  attempting(identities: ReadonlyMap<string, ManifestIdentity>): void {
    this.#attempted = identities
  }
}
