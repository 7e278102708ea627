/** In plain words why there was no connection; undefined when that was not what went wrong. */
export function whyUnreachable(error: unknown): string | undefined {
  for (const each of chainOf(error)) {
    const { code, name } = each as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') return 'nobody listens there'
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host'
    if (code === 'ECONNRESET' || code === 'EPIPE') return 'the connection was cut'
    if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'no way leads there'
    if (code === 'ETIMEDOUT' || name === 'TimeoutError') return 'there was no answer in time'
  }
  return undefined
}

/** The error and its causes; where there were several addresses, those of each. */
function* chainOf(error: unknown): Generator<object> {
  if (typeof error !== 'object' || error === null) return
  yield error
  if (error instanceof AggregateError) for (const one of error.errors) yield* chainOf(one)
  if (error instanceof Error) yield* chainOf(error.cause)
}
