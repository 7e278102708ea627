/** Why a request to a service failed. */
export type ForgeProblem =
  /** The token is wrong, expired or absent. */
  | 'unauthorized'
  /** The token lacks a permission. */
  | 'forbidden'
  /** It does not exist, or the token may not know that it does. */
  | 'missing'
  /** The service does not accept the values. */
  | 'invalid'
  /** It exists already. */
  | 'conflict'
  | 'rate-limited'
  /** Worth another try: the service does not respond, or reports a fault of its own. */
  | 'unreachable'
  /** The response is too large, or not what the service describes. */
  | 'garbled'

/**
 * The message is safe to show: it contains nothing of the response and no credential. Otherwise whoever chooses the
 * address could read what the platform can reach.
 */
export class ForgeError extends Error {
  override name = 'ForgeError'
  readonly problem: ForgeProblem
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(
    problem: ForgeProblem,
    message: string,
    details: { readonly status?: number; readonly retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.problem = problem
    this.status = details.status
    this.retryAfterMs = details.retryAfterMs
  }
}

/** Whether the error is a ForgeError of one of these kinds. */
export function isForgeError(
  error: unknown,
  ...problems: readonly ForgeProblem[]
): error is ForgeError {
  return error instanceof ForgeError && (problems.length === 0 || problems.includes(error.problem))
}
