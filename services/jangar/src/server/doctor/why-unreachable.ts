/** Describes why a connection failed. Undefined if the error has another cause. */
export function whyUnreachable(error: unknown): string | undefined {
  for (const each of chainOf(error)) {
    const { code, name } = each as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return 'the connection was refused'
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved'
    if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was reset'
    if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'the host is unreachable'
    if (code === 'ETIMEDOUT' || name === 'TimeoutError') return 'the server did not respond in time'
  }
  return undefined
}

/** The error and its causes, including those of each address if there are several. */
function* chainOf(error: unknown): Generator<object> {
  if (typeof error !== 'object' || error === null) return
  yield error
  if (error instanceof AggregateError) for (const one of error.errors) yield* chainOf(one)
  if (error instanceof Error) yield* chainOf(error.cause)
}
