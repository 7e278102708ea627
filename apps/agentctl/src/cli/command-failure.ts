import { type ExitCode, exitCode } from './exit-code.ts'

interface FailureOptions {
  /** Default 1. */
  readonly code?: ExitCode
  /** What the reader can do about it: whole sentences or commands, one a line. */
  readonly advice?: readonly string[]
  readonly cause?: unknown
}

/** Ends a command with a message for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly code: ExitCode
  readonly advice: readonly string[]

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = options.code ?? exitCode.failed
    this.advice = options.advice ?? []
  }
}

export function usageFailure(message: string, ...advice: readonly string[]): CommandFailure {
  return new CommandFailure(message, { code: exitCode.usage, advice })
}
