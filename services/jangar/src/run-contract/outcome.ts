export const outcomes = ['succeeded', 'failed', 'timedOut', 'cancelled'] as const

export type Outcome = (typeof outcomes)[number]

interface ReasonRow {
  readonly outcome: Outcome
  /** If omitted, the program's own exit code, or 128 plus the number of the signal that killed it. */
  readonly exitCode?: number
}

/** Why a run ended, and the exit code of the runner. The codes follow sysexits.h, shells and `timeout`. */
export const reasons = {
  Succeeded: { outcome: 'succeeded', exitCode: 0 },
  /** The program succeeded and left no new commits or changes in its repository. */
  NoChanges: { outcome: 'succeeded', exitCode: 0 },
  /** Nothing was pushed, and the run requires changes. */
  ChangesRequired: { outcome: 'failed', exitCode: 65 },
  /** The program exited with an error. */
  ProgramFailed: { outcome: 'failed' },
  /** The program exited with an error because its model refused requests with status 429. */
  RateLimited: { outcome: 'failed' },
  /** A signal that the runner did not send killed the program. */
  ProgramKilled: { outcome: 'failed' },
  /** The program does not exist in the image. */
  ProgramNotFound: { outcome: 'failed', exitCode: 127 },
  /** The program exists and cannot be started. */
  ProgramNotStarted: { outcome: 'failed', exitCode: 126 },
  /** The run took longer than allowed. */
  TimedOut: { outcome: 'timedOut', exitCode: 124 },
  /** The runner received a signal to stop. */
  Terminated: { outcome: 'cancelled', exitCode: 143 },
  /** A document, argument or variable of the runner is not valid. */
  InvalidSpec: { outcome: 'failed', exitCode: 78 },
  /** A document is not the one that the Job was created with. */
  DocumentsChanged: { outcome: 'failed', exitCode: 78 },
  /** A template cannot be rendered. */
  InvalidTemplate: { outcome: 'failed', exitCode: 78 },
  /** A branch name is not valid in Git. */
  InvalidBranch: { outcome: 'failed', exitCode: 78 },
  /** A file cannot be written to the workspace. */
  WorkspaceFailed: { outcome: 'failed', exitCode: 73 },
  /** The repository cannot be fetched or checked out. */
  CheckoutFailed: { outcome: 'failed', exitCode: 69 },
  /** A skill of the agent cannot be fetched from its repository, or is not valid. */
  SkillUnavailable: { outcome: 'failed', exitCode: 69 },
  /** The work cannot be committed. */
  CommitFailed: { outcome: 'failed', exitCode: 70 },
  /** The remote rejected the push. */
  PushRejected: { outcome: 'failed', exitCode: 77 },
  /** Somebody else pushed to the branch, or is pushing to it. */
  PushConflict: { outcome: 'failed', exitCode: 77 },
  /** The remote cannot be reached for the push. */
  PushFailed: { outcome: 'failed', exitCode: 69 },
  /** The publisher refused the work because of the branch policy or its content. */
  PublishRefused: { outcome: 'failed', exitCode: 77 },
  /** The work breaks the push policy of the VersionControlProvider, or contains a Secret of the run. */
  PushPolicyViolated: { outcome: 'failed', exitCode: 77 },
  /** The publisher cannot be reached, or exited without a reply. */
  PublisherUnavailable: { outcome: 'failed', exitCode: 69 },
  /** The status file cannot be written. */
  StatusUnwritable: { outcome: 'failed', exitCode: 74 },
  /** The runner itself has a defect. */
  RunnerFailed: { outcome: 'failed', exitCode: 70 },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof reasons

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text)
}

export function outcomeOf(reason: Reason): Outcome {
  return reasons[reason].outcome
}

export function exitCodeOf(reason: Reason, programCode = 1): number {
  const row: ReasonRow = reasons[reason]
  return row.exitCode ?? programCode
}
