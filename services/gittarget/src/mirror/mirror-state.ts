import type { ManifestIdentity } from '../document/identity.ts'
import type { PushState } from './branch/push-report.ts'
import type { CompareOutcome } from './folder/mirrored-folder.ts'
import type { RuleVersions } from './rule-versions.ts'
import type { SnapshotStats } from './snapshot/plan-snapshot.ts'
import type { StreamReport } from './stream/watched-streams.ts'

/** State of the branch before anything is written. */
export type OpeningState =
  | { readonly kind: 'opening' }
  /** `hasFiles`: whether the files that the mirror adds to the folder exist. */
  | { readonly kind: 'open'; readonly hasFiles: boolean }
  | { readonly kind: 'failed'; readonly message: string }

export type SnapshotState =
  | { readonly kind: 'running' }
  | {
      readonly kind: 'completed'
      /** Undefined if the branch does not exist, because there was nothing to write. */
      readonly commit: string | undefined
      readonly time: Date
      /** Undefined if nothing was changed. */
      readonly stats: SnapshotStats | undefined
    }
  /** Files were changed in Git. `isReported`: they are not restored. */
  | { readonly kind: 'drifted'; readonly message: string; readonly isReported: boolean }
  /** `isStuck`: a retry does not help; a person has to act. */
  | { readonly kind: 'failed'; readonly message: string; readonly isStuck: boolean }

interface Problem {
  readonly message: string
  readonly isStuck: boolean
}

interface SnapshotProblems {
  /** Why changes cannot be pushed. */
  readonly push: Problem | undefined
  /** Which files cannot be written. */
  readonly blocked: string | undefined
  /** Which files were changed in Git. */
  readonly drift: string | undefined
  /** Whether such files are not restored. */
  readonly isReported: boolean
  /** Why it is not known whether the branch was changed. */
  readonly unchecked: Problem | undefined
}

/** The state of the last snapshot, or the first problem that has occurred since. */
export function reportedSnapshot(last: SnapshotState, problems: SnapshotProblems): SnapshotState {
  const { push, blocked, drift, isReported, unchecked } = problems
  if (push !== undefined) return { kind: 'failed', ...push }
  if (last.kind !== 'completed') return last
  if (blocked !== undefined) return { kind: 'failed', message: blocked, isStuck: true }
  if (drift !== undefined) return { kind: 'drifted', message: drift, isReported }
  return unchecked === undefined ? last : { kind: 'failed', ...unchecked }
}

/** The state after a comparison that was pushed. */
export function snapshotAfter(
  { confirmation: { commit }, stats, sweepProblem }: CompareOutcome,
  time: Date,
): SnapshotState {
  if (sweepProblem !== undefined) return { kind: 'failed', message: sweepProblem, isStuck: true }
  return { kind: 'completed', commit, time, stats }
}

/** Current state of a target's mirror. */
export interface MirrorState {
  readonly opening: OpeningState
  readonly snapshot: SnapshotState
  /** The commit of this process that added README and similar files. */
  readonly bootstrap: { readonly commit: string; readonly time: Date } | undefined
  readonly streams: readonly StreamReport[]
  /** The rules that the streams are of. */
  readonly rules: RuleVersions
  /** Whether one of the rules was not part of a complete comparison yet. */
  readonly hasNewRules: boolean
  /** Resources without a stream, because the server does not serve them. */
  readonly missing: readonly StreamReport[]
  /** Whether a complete comparison is due or running. */
  readonly isSyncing: boolean
  readonly lastEventTime: Date | undefined
  readonly push: PushState
  /** Why the server cannot be asked whether the branch has moved. */
  readonly branchProblem: string | undefined
  /** Files that no rule selects and that are kept; undefined before the first comparison. */
  readonly retainedFiles: number | undefined
  /** Files that were changed in Git and are not restored yet. */
  readonly driftedFiles: number
  /** Objects whose deletion was reported and whose files are still to be deleted. */
  readonly pendingDeletions: readonly ManifestIdentity[]
  /** Changes that are not pushed yet, including those that are about to be pushed. */
  readonly waiting: number
  readonly worker: { readonly name: string; readonly uid: string }
}
