import { createHash } from 'node:crypto'

/** Set on a GitTarget by a person, with the value that the SnapshotSynced condition names, to allow one large sweep. */
export const CONFIRM_DELETE = 'gitops.proompteng.ai/confirm-delete'

/** So many files may always go: people rename and delete things. */
const ALWAYS_ALLOWED = 10

export interface Sweep {
  /** Files that would go. */
  readonly paths: readonly string[]
  /** Files that the mirror knows as its own, these among them. */
  readonly total: number
}

/** Names exactly this set of files, so that a confirmation is good for no other. */
export const sweepToken = (paths: readonly string[]): string =>
  createHash('sha256')
    .update([...paths].sort().join('\n'))
    .digest('hex')
    .slice(0, 12)

/** Why a sweep has to wait for a person; undefined when it may go on. */
export const sweepProblem = (
  { paths, total }: Sweep,
  maxDeleteFraction: number,
  confirmed: string | undefined,
): string | undefined => {
  if (paths.length <= ALWAYS_ALLOWED || paths.length <= maxDeleteFraction * total) return undefined
  const token = sweepToken(paths)
  if (confirmed === token) return undefined
  return `${paths.length} of ${total} files would be deleted, more than prune.maxDeleteFraction allows; to allow it, set the annotation ${CONFIRM_DELETE}=${token}`
}
