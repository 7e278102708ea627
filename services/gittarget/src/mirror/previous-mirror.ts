/** What an earlier process recorded about the mirror of a target. */
export interface PreviousMirror {
  /** Commits at which the branch may be without a change by another writer. */
  readonly commits: readonly string[]
  /** Whether files had drifted and were not restored. */
  readonly hasDrifted: boolean
}

/**
 * Whether another writer moved the branch while no process of this mirror ran. Differences may then be changes in Git,
 * which must not be overwritten if drift is only reported.
 */
export function hasMovedSince(
  previous: PreviousMirror | undefined,
  commit: string | undefined,
  lastPushed: string | undefined,
): boolean {
  if (previous === undefined) return false
  return previous.hasDrifted || ![...previous.commits, lastPushed].includes(commit)
}
