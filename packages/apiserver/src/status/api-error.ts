import type { FieldError } from '@agents/crd'
import type { StatusCause, StatusDetails } from '@agents/kube'

/** The body of every failed request, and of a successful delete: `v1 Status`. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string }
  readonly status: 'Failure' | 'Success'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

interface GroupResource {
  readonly group: string
  readonly plural: string
}

export interface GroupKind {
  readonly group: string
  readonly kind: string
}

/** An error with the code and reason that the client gets. Any other error that is thrown becomes a 500. */
export class ApiError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** For an expired continue token: a new token to continue with. */
  readonly continueToken: string | undefined

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    continueToken?: string,
  ) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.reason = reason
    this.details = details
    this.continueToken = continueToken
  }

  status(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      ...(this.message === '' ? {} : { message: this.message }),
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

/** `widgets.example.dev`; the plain plural in the core group. */
function qualified({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** Formats a field error as in messages: `spec.size: Required value`. */
export function fieldErrorText({ field, message }: FieldError): string {
  return `${field === '' ? '<nil>' : field}: ${message}`
}

/** Quotes a string like Go's %q. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(
    /\\u00([01][0-9a-f])|\x7f/g,
    (_all, code: string | undefined) =>
      code === undefined ? '\\x7f' : (shortEscapes[code] ?? `\\x${code}`),
  )
}

const shortEscapes: Readonly<Record<string, string>> = { '07': '\\a', '0b': '\\v' }

const optimisticLockMessage =
  'the object has been modified; please apply your changes to the latest version and try again'

export function notFound(resource: GroupResource, name: string): ApiError {
  const message = `${qualified(resource)} ${quote(name)} not found`
  return new ApiError(404, 'NotFound', message, resourceDetails(resource, name))
}

/** The 404 for a path that is not served. kube-apiserver sends plain text, which clients show in these words. */
export function pathNotFound(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {})
}

export function alreadyExists(resource: GroupResource, name: string): ApiError {
  const message = `${qualified(resource)} ${quote(name)} already exists`
  return new ApiError(409, 'AlreadyExists', message, resourceDetails(resource, name))
}

export function generatedNameConflict(resource: GroupResource, name: string): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${qualified(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...resourceDetails(resource, name), retryAfterSeconds: 1 },
  )
}

export function unauthorized(message = 'Unauthorized'): ApiError {
  return new ApiError(401, 'Unauthorized', message)
}

export function forbidden(resource: GroupResource, name: string, why: string): ApiError {
  const what = qualified(resource)
  const message =
    what === ''
      ? `forbidden: ${why}`
      : `${what}${name === '' ? '' : ` ${quote(name)}`} is forbidden: ${why}`
  return new ApiError(403, 'Forbidden', message, resourceDetails(resource, name))
}

export function conflict(
  resource: GroupResource,
  name: string,
  why: string = optimisticLockMessage,
): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} ${quote(name)}: ${why}`
  return new ApiError(409, 'Conflict', message, resourceDetails(resource, name))
}

export function expired(message: string, continueToken?: string): ApiError {
  return new ApiError(410, 'Expired', message, undefined, continueToken)
}

export function tooOldResourceVersion(requested: number, oldest: number): ApiError {
  return expired(`too old resource version: ${requested} (${oldest})`)
}

export function tooLargeResourceVersion(requested: bigint | number, current: number): ApiError {
  return new ApiError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${requested}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}

/** Limits that keep a response from being many times as large as its request. */
const maxFieldErrors = 500
const maxMessageLength = 16 * 1024

/** Cuts the list and the texts of the errors. Real objects stay far below the limits. */
function formatErrors(errors: readonly FieldError[]): FieldError[] {
  return errors
    .slice(0, maxFieldErrors)
    .map((error) => ({ ...error, field: cut(error.field), message: cut(error.message) }))
}

function cut(text: string): string {
  if (text.length <= maxMessageLength) return text
  return `${text.slice(0, maxMessageLength / 2)} ... ${text.slice(-maxMessageLength / 2)}`
}

export function invalid(
  kind: GroupKind,
  objectName: string,
  allErrors: readonly FieldError[],
): ApiError {
  const errors = formatErrors(allErrors)
  const name = cut(objectName)
  const what = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`
  const head = `${what} ${quote(name)} is invalid`
  return new ApiError(
    422,
    'Invalid',
    errors.length === 0 ? head : `${head}: ${aggregate(errors)}`,
    {
      ...(name === '' ? {} : { name }),
      ...(kind.group === '' ? {} : { group: kind.group }),
      ...(kind.kind === '' ? {} : { kind: kind.kind }),
      ...(errors.length === 0
        ? {}
        : {
            causes: errors.map(causeOf),
          }),
    },
  )
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message)
}

export function methodNotSupported(resource: GroupResource, action: string): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    `${action} is not supported on resources of kind ${quote(qualified(resource))}`,
    resourceDetails(resource, ''),
  )
}

/** The 405 of the generic request handler: the path exists, but not with this method. */
export function methodNotAllowed(): ApiError {
  return new ApiError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted.join(', ')}`,
  )
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}

/** The 415 of the generic request handler: the path exists, but not for this content type. */
export function unroutedMediaType(): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
}

export function requestTooLarge(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds })
}

export function serviceUnavailable(message: string): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message)
}

export function internal(message: string): ApiError {
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
}

/** An error of the whole object has no path. Go prints that as `<nil>`. */
function causeOf({ reason, message, field }: FieldError): StatusCause {
  return { reason, message, field: field === '' ? '<nil>' : field }
}

/** Joins messages as Go's aggregate does: one alone, several as `[a, b]` without duplicates. */
function aggregate(errors: readonly FieldError[]): string {
  const messages = [...new Set(errors.map(fieldErrorText))]
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`
}

function resourceDetails({ group, plural }: GroupResource, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(plural === '' ? {} : { kind: plural }),
  }
}

/** The message of Go's decoder for a kind that does not exist. */
export function unknownKind(kind: string, apiVersion: string): string {
  return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
}
