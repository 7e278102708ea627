import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import type { SnapshotPlan } from './plan-snapshot.ts'

/** Where manifests are, as far as is known from the last comparison and from what was written since. By identity. */
export class KnownFolder {
  #located = new Map<string, string>()
  /** Those that no rule chose when the folder was compared; undefined before that. */
  #strangers: ReadonlySet<string> | undefined
  readonly #missed = new Map<string, ManifestIdentity>()

  compared({ located, strangers }: Pick<SnapshotPlan, 'located' | 'strangers'>): void {
    this.#located = new Map(located)
    this.#strangers = strangers
  }

  pathOf(key: string): string | undefined {
    return this.#located.get(key)
  }

  holds(key: string): boolean {
    return this.#located.has(key)
  }

  /** Also what no rule chose, and everything while nothing is known. */
  mayHold(key: string): boolean {
    return this.#strangers === undefined || this.#located.has(key) || this.#strangers.has(key)
  }

  put(key: string, path: string): void {
    this.#located.set(key, path)
  }

  remove(key: string): void {
    this.#located.delete(key)
  }

  /** It is not where it was known to be. */
  miss(identity: ManifestIdentity): void {
    this.#missed.set(identityKey(identity), identity)
  }

  isMissed(key: string): boolean {
    return this.#missed.has(key)
  }

  takeMissed(): [string, ManifestIdentity][] {
    const missed = [...this.#missed]
    this.#missed.clear()
    return missed
  }
}
