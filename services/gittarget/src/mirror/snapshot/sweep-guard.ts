import { createHash } from 'node:crypto'

/** Annotation on a GitTarget that allows one large sweep. Its value is the token in the message of SnapshotSynced. */
export const confirmDeleteAnnotation = 'gitops.proompteng.ai/confirm-delete'

/** This many files may always be deleted without confirmation. */
const alwaysAllowed = 10

interface Sweep {
  /** Files to be deleted. */
  readonly paths: readonly string[]
  /** All files of the mirror, including those to be deleted. */
  readonly total: number
}

/** Identifies this set of files, so that a confirmation is not valid for another one. */
export function sweepToken(paths: readonly string[]): string {
  return createHash('sha256')
    .update([...paths].sort().join('\n'))
    .digest('hex')
    .slice(0, 12)
}

/** Why a sweep needs a confirmation; undefined if it does not. */
export function sweepProblem(
  { paths, total }: Sweep,
  maxDeleteFraction: number,
  confirmed: string | undefined,
): string | undefined {
  if (paths.length <= alwaysAllowed || paths.length <= maxDeleteFraction * total) return undefined
  const token = sweepToken(paths)
  if (confirmed === token) return undefined
  return `the snapshot would delete ${paths.length} of ${total} files, more than prune.maxDeleteFraction allows; to allow it, set the annotation ${confirmDeleteAnnotation}=${token}`
}
