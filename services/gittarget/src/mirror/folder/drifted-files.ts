import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import type { PlacedManifest } from '../snapshot/locate-manifests.ts'

interface Comparison {
  /** Manifests that differ from the cluster. */
  readonly differing: readonly PlacedManifest[]
  /** Whether the object changed in the cluster. */
  isOwnChange(key: string): boolean
  /** Whether another writer moved the branch since the last comparison. */
  readonly isForeign: boolean
  /** The commit that was compared. */
  readonly commit: string | undefined
  readonly onDrift: 'Correct' | 'Report'
}

/** Manifests of mirrored objects that another writer changed or deleted in Git, by identity. */
export class DriftedFiles {
  readonly #hasMovedBefore: (commit: string | undefined) => boolean
  #paths: ReadonlyMap<string, string>
  #isFirst = true

  /**
   * `hasMovedBefore`: whether another writer moved the branch to the commit while no process of this mirror ran.
   * `drifted`: paths of the manifests that the previous mirror of the target reported, by identity.
   */
  constructor(
    hasMovedBefore: (commit: string | undefined) => boolean,
    drifted: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#hasMovedBefore = hasMovedBefore
    this.#paths = drifted
  }

  /**
   * Records which differences are changes in Git. Returns the manifests to write: all that differ, except those whose
   * drift is only reported.
   */
  compared(comparison: Comparison): readonly PlacedManifest[] {
    const { differing, isOwnChange, isForeign, commit, onDrift } = comparison
    const isReported = onDrift === 'Report'
    // A first comparison that corrects needs no distinction.
    const hasMoved = isForeign || (this.#isFirst && isReported && this.#hasMovedBefore(commit))
    this.#isFirst = false
    const others = differing.filter(({ identity }) => !isOwnChange(identityKey(identity)))
    const drifted = hasMoved ? others : others.filter(({ identity }) => this.#has(identity))
    this.#paths = new Map(drifted.map(({ identity, path }) => [identityKey(identity), path]))
    return isReported ? differing.filter(({ identity }) => !this.#has(identity)) : differing
  }

  /** By identity. */
  get paths(): ReadonlyMap<string, string> {
    return this.#paths
  }

  get count(): number {
    return new Set(this.#paths.values()).size
  }

  #has(identity: ManifestIdentity): boolean {
    return this.#paths.has(identityKey(identity))
  }

  settle(placed: readonly PlacedManifest[]): void {
    const settled = new Set(placed.map(({ identity }) => identityKey(identity)))
    this.#paths = new Map([...this.#paths].filter(([key]) => !settled.has(key)))
  }

  /** What the status reports; undefined if no file has drifted. */
  describe(onDrift: 'Correct' | 'Report'): string | undefined {
    const [first] = this.#paths.values()
    if (first === undefined) return undefined
    const { count } = this
    const which = count === 1 ? first : `${count} files, including ${first},`
    const verb = count === 1 ? 'differs' : 'differ'
    const what = `${which} ${verb} from the cluster, because the branch was changed by another writer or deleted`
    return onDrift === 'Correct'
      ? `${what}; the mirror restores what it manages`
      : `${what}; revert the change in Git, or set spec.onDrift to Correct to restore the mirror`
  }
}
