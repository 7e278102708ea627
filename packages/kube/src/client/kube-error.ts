import type { Status, StatusCause, StatusDetails } from './status.ts'

/** Reasons that are ours and not the server's: there was no answer to take one from. */
export const UNREACHABLE = 'Unreachable'
export const NO_ANSWER = 'NoAnswer'
export const BAD_ANSWER = 'BadAnswer'

/** A request that the server refused, or that never got an answer. Ask the predicates beside it, never the message. */
export class KubeError extends Error {
  override name = 'KubeError'
  /** The HTTP status; 0 when there was no answer. */
  readonly code: number
  /** The server's word (`NotFound`, `Conflict`, …), or one of ours when it said none. */
  readonly reason: string
  readonly details: StatusDetails
  /** How long the server asked us to stay away. */
  readonly retryAfterMs: number | undefined
  /** Sent along with an expired list: where an inconsistent continuation could start. */
  readonly continueToken: string | undefined

  constructor(message: string, init: KubeErrorInit) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause })
    this.code = init.code
    this.reason = init.reason
    this.details = init.details ?? {}
    this.retryAfterMs = init.retryAfterMs
    this.continueToken = init.continueToken
  }

  get causes(): readonly StatusCause[] {
    return this.details.causes ?? []
  }
}

export interface KubeErrorInit {
  readonly code: number
  readonly reason: string
  readonly details?: StatusDetails | undefined
  readonly retryAfterMs?: number | undefined
  readonly continueToken?: string | undefined
  readonly cause?: unknown
}

/** `code` and `retryAfterMs` of the answer stand in for what the status leaves out. */
export function errorOfStatus(
  attempt: string,
  status: Status,
  answer: { code: number; retryAfterMs?: number | undefined },
): KubeError {
  const code = status.code ?? answer.code
  const seconds = status.details?.retryAfterSeconds
  return new KubeError(`${attempt}: ${status.message ?? status.reason ?? `status ${code}`}`, {
    code,
    reason: status.reason || reasonOfCode(code),
    details: status.details,
    retryAfterMs: answer.retryAfterMs ?? (seconds ? seconds * 1000 : undefined),
    continueToken: status.metadata?.continue,
  })
}

/** For answers of something in between, which knows nothing about Kubernetes. */
export function reasonOfCode(code: number): string {
  return reasons.get(code) ?? (code >= 500 ? 'InternalError' : 'Unknown')
}

const reasons = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [406, 'NotAcceptable'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
])

const has =
  (...known: readonly string[]) =>
  (error: unknown): error is KubeError =>
    error instanceof KubeError && known.includes(error.reason)

export const isNotFound = has('NotFound')
export const isAlreadyExists = has('AlreadyExists')
export const isConflict = has('Conflict')
export const isInvalid = has('Invalid')
export const isBadRequest = has('BadRequest')
export const isForbidden = has('Forbidden')
export const isUnauthorized = has('Unauthorized')
export const isUnsupportedMediaType = has('UnsupportedMediaType')
export const isTooManyRequests = has('TooManyRequests')
export const isInternalError = has('InternalError')
/** The resource version asked for is no longer kept: start over with a list. */
export const isExpired = has('Expired', 'Gone')
/** The server gave up, or said nothing for as long as we were ready to wait. */
export const isTimeout = has('Timeout', 'ServerTimeout', NO_ANSWER)
/** No connection, or one that broke before the answer was complete. */
export const isUnreachable = has(UNREACHABLE)
/** The answer was not what the API promises: no JSON, no event, too long. */
export const isBadAnswer = has(BAD_ANSWER)

/** The server has not yet seen the resource version that it was asked for; it may be a laggard of several. */
export function isRevisionTooLarge(error: unknown): error is KubeError {
  return (
    error instanceof KubeError &&
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')
  )
}
