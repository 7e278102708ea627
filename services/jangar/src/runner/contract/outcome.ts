export const OUTCOMES = ['succeeded', 'failed', 'timedOut', 'cancelled'] as const

export type Outcome = (typeof OUTCOMES)[number]

interface ReasonRow {
  readonly outcome: Outcome
  /** Left out: the program's own exit code, or 128 plus the number of the signal that ended it. */
  readonly exitCode?: number
  readonly doc: string
}

/** Why a run ended, and what the runner exits with. Numbers follow sysexits.h and what shells and `timeout` do. */
export const REASONS = {
  Succeeded: { outcome: 'succeeded', exitCode: 0, doc: 'All is done.' },
  ProgramFailed: { outcome: 'failed', doc: 'The program ended with an error.' },
  ProgramKilled: { outcome: 'failed', doc: 'A signal that the runner did not send ended it.' },
  ProgramNotFound: { outcome: 'failed', exitCode: 127, doc: 'The image has no such program.' },
  ProgramNotStarted: { outcome: 'failed', exitCode: 126, doc: 'The program cannot be started.' },
  TimedOut: { outcome: 'timedOut', exitCode: 124, doc: 'It took longer than allowed.' },
  Terminated: { outcome: 'cancelled', exitCode: 143, doc: 'The runner was told to stop.' },
  InvalidSpec: { outcome: 'failed', exitCode: 78, doc: 'What the runner was given is wrong.' },
  InvalidTemplate: { outcome: 'failed', exitCode: 78, doc: 'A template cannot be filled in.' },
  InvalidBranch: { outcome: 'failed', exitCode: 78, doc: 'Git allows no branch of that name.' },
  WorkspaceFailed: { outcome: 'failed', exitCode: 73, doc: 'A file cannot be put in place.' },
  CheckoutFailed: { outcome: 'failed', exitCode: 69, doc: 'The repository cannot be fetched.' },
  CommitFailed: { outcome: 'failed', exitCode: 70, doc: 'The work cannot be committed.' },
  PushRejected: { outcome: 'failed', exitCode: 77, doc: 'The remote refuses the branch.' },
  PushFailed: {
    outcome: 'failed',
    exitCode: 69,
    doc: 'The remote cannot be reached for the push.',
  },
  StatusUnwritable: { outcome: 'failed', exitCode: 74, doc: 'The status file cannot be written.' },
  RunnerFailed: { outcome: 'failed', exitCode: 70, doc: 'The runner itself has a defect.' },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof REASONS

export function outcomeOf(reason: Reason): Outcome {
  return REASONS[reason].outcome
}

export function exitCodeOf(reason: Reason, programCode = 1): number {
  const row: ReasonRow = REASONS[reason]
  return row.exitCode ?? programCode
}
