/** What the server says about why it refused; undefined when it was not the server who refused. */
export function refusalReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('reason' in error)) return undefined
  return typeof error.reason === 'string' ? error.reason : undefined
}
