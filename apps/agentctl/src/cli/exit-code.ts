/** Exit codes of the program, as documented in docs/agentctl.md. */
export const exitCode = {
  done: 0,
  /** The command ran, but with a negative result: a failed run, a check that found a problem. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The cluster could not be reached, or rejected the request. */
  cluster: 3,
  cancelled: 4,
  /** A bug in the program itself. */
  internal: 70,
  timedOut: 124,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]
