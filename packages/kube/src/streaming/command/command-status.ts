/** How a remote command ended: the status on the error channel. */
export interface CommandStatus {
  readonly metadata: Record<string, never>
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: { readonly causes: readonly { reason?: string; message?: string }[] }
  readonly code?: number
}

const succeeded: CommandStatus = { metadata: {}, status: 'Success' }

export function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return succeeded
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

export function failureStatus(problem: string): CommandStatus {
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${problem}`,
    reason: 'InternalError',
    details: { causes: [{ message: problem }] },
    code: 500,
  }
}
