import type { ManifestIdentity } from '../document/identity.ts'

/** What an earlier process recorded about the mirror of a target in its status. */
export interface RecordedMirror {
  /** Whether a comparison was completed. Otherwise only the deletions are known. */
  readonly hasCompared: boolean
  /** Commits at which the branch may be without a change by another writer. */
  readonly commits: readonly string[]
  /** Whether files had drifted and were not restored. */
  readonly hasDrifted: boolean
  /** Objects whose deletion was reported and whose files were still to be deleted. */
  readonly deletions: readonly ManifestIdentity[]
}

/** What the previous mirror of a target knew, in this process or in an earlier one. */
export interface PreviousMirror {
  /** Undefined if a mirror of this process has compared cluster and folder since. */
  readonly recorded: RecordedMirror | undefined
  /** Paths of the manifests that had drifted and were not restored, by identity. */
  readonly drifted: ReadonlyMap<string, string>
  /** How many changes by other writers its comparisons have considered; undefined if none did in this process. */
  readonly foreignChanges: number | undefined
}

export function previousOf(recorded: RecordedMirror | undefined): PreviousMirror | undefined {
  // Before the first comparison the mirror has written nothing that could have been changed.
  if (!recorded?.hasCompared) return undefined
  return { recorded, drifted: new Map(), foreignChanges: undefined }
}

/**
 * Whether another writer moved the branch while no process of this mirror ran. Differences may then be changes in Git,
 * which must not be overwritten if drift is only reported.
 */
export function hasMovedSince(
  recorded: RecordedMirror | undefined,
  commit: string | undefined,
  lastPushed: string | undefined,
): boolean {
  if (recorded === undefined) return false
  return recorded.hasDrifted || ![...recorded.commits, lastPushed].includes(commit)
}
