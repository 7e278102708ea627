/** What the exit code of the program says. docs/agentctl.md promises them. */
export const exitCode = {
  done: 0,
  /** What was asked for did not come about: a run that failed, a check that found a fault. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** The cluster could not be reached, or refused. */
  cluster: 3,
  cancelled: 4,
  /** A fault of the program itself. */
  internal: 70,
  timedOut: 124,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]
