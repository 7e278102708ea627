import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import type { SnapshotPlan } from '../snapshot/plan-snapshot.ts'

/** Paths of the manifests by identity, as of the last comparison and the writes since. */
export class FolderIndex {
  #located = new Map<string, string>()
  #implied: ReadonlySet<string> = new Set()
  /** Manifests at their default paths that no rule selects; undefined before the first comparison. */
  #unselected: Set<string> | undefined
  readonly #missed = new Map<string, ManifestIdentity>()

  compared({
    located,
    implied,
    unselected,
  }: Pick<SnapshotPlan, 'located' | 'implied' | 'unselected'>): void {
    this.#located = new Map(located)
    this.#implied = implied
    this.#unselected = new Set(unselected)
  }

  /** Number of manifests that no rule selects and that are kept; undefined before the first comparison. */
  get retainedCount(): number | undefined {
    return this.#unselected?.size
  }

  pathOf(key: string): string | undefined {
    return this.#located.get(key)
  }

  /** Whether the manifest has no namespace, because its place in the repository implies it. */
  isImplied(key: string): boolean {
    return this.#implied.has(key)
  }

  holds(key: string): boolean {
    return this.#located.has(key)
  }

  /**
   * Whether the folder may contain the manifest, also one that no rule selects. Always true before the first
   * comparison.
   */
  mayHold(key: string): boolean {
    return this.#unselected === undefined || this.#located.has(key) || this.#unselected.has(key)
  }

  put(key: string, path: string): void {
    this.#located.set(key, path)
    this.#unselected?.delete(key)
  }

  remove(key: string): void {
    this.#located.delete(key)
    this.#unselected?.delete(key)
  }

  /** Records that no rule selects the manifest any more, and that it is kept. */
  retain(key: string): void {
    this.#located.delete(key)
    this.#unselected?.add(key)
  }

  /** Records that a manifest is not at its known path. */
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
