import type { Status, StatusCause, StatusDetails } from './status.ts'

/** Reasons of the client, for errors without a usable response of the server. */
export const unreachable = 'Unreachable'
export const noAnswerReason = 'NoAnswer'
export const badAnswerReason = 'BadAnswer'

/** A request that the server rejected or did not answer. Use the predicates in this file, not the message. */
export class KubeError extends Error {
  override name = 'KubeError'
  /** The HTTP status; 0 if there was no response. */
  readonly code: number
  /** The reason from the server (`NotFound`, `Conflict`, …), or one of the client if it sent none. */
  readonly reason: string
  readonly details: StatusDetails
  /** The delay before a retry that the server requested. */
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

interface KubeErrorInit {
  readonly code: number
  readonly reason: string
  readonly details?: StatusDetails | undefined
  readonly retryAfterMs?: number | undefined
  readonly continueToken?: string | undefined
  readonly cause?: unknown
}

/** `code` and `retryAfterMs` of the response are used if the status has none. */
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

/** For responses of proxies, which have no Kubernetes reason. */
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
export const isTooManyRequests = has('TooManyRequests')
export const isInternalError = has('InternalError')
/** The requested resource version has expired: start over with a list. */
export const isExpired = has('Expired', 'Gone')
/** The server timed out, or did not respond in time. */
export const isTimeout = has('Timeout', 'ServerTimeout', noAnswerReason)
/** There was no connection, or it broke before the response was complete. */
export const isUnreachable = has(unreachable)
/** The response was invalid: not JSON, not an event, or too long. */
export const isBadAnswer = has(badAnswerReason)

/** The server has not yet seen the requested resource version; it may be a replica that lags behind. */
export function isRevisionTooLarge(error: unknown): error is KubeError {
  return (
    error instanceof KubeError &&
    error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge')
  )
}
