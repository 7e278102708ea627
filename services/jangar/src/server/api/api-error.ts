import { KubeError } from '@agents/kube'

/**
 * What can go wrong in a call, with its code in HTTP and in gRPC. gRPC's numbers are written out, so that a process
 * without gRPC does not load its library.
 */
const codes = {
  BadRequest: { http: 400, grpc: 3 },
  Unauthenticated: { http: 401, grpc: 16 },
  Forbidden: { http: 403, grpc: 7 },
  NotFound: { http: 404, grpc: 5 },
  MethodNotAllowed: { http: 405, grpc: 12 },
  NotAcceptable: { http: 406, grpc: 3 },
  Conflict: { http: 409, grpc: 10 },
  Gone: { http: 410, grpc: 11 },
  TooLarge: { http: 413, grpc: 8 },
  UnsupportedMediaType: { http: 415, grpc: 3 },
  Invalid: { http: 422, grpc: 3 },
  TooManyRequests: { http: 429, grpc: 8 },
  Internal: { http: 500, grpc: 13 },
  Unavailable: { http: 503, grpc: 14 },
  Timeout: { http: 504, grpc: 4 },
} as const

export type ApiErrorCode = keyof typeof codes

export const apiErrorCodes = Object.keys(codes) as readonly ApiErrorCode[]

interface ApiErrorOptions {
  readonly cause?: unknown
  readonly retryAfterMs?: number | undefined
  /** Further headers of the HTTP response. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure that the client may see. The message says what happened, to what, and what to do. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ApiErrorCode
  readonly retryAfterMs: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ApiErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfterMs = options.retryAfterMs
    this.headers = options.headers ?? {}
  }

  get httpStatus(): number {
    return codes[this.code].http
  }

  get grpcCode(): number {
    return codes[this.code].grpc
  }
}

/** The failure as the client may see it. What is not meant for clients becomes `Internal` without details. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof KubeError) return ofCluster(error)
  return new ApiError('Internal', 'internal error; the log of the control plane has details', {
    cause: error,
  })
}

const byStatus: ReadonlyMap<number, ApiErrorCode> = new Map([
  ...apiErrorCodes.map((code) => [codes[code].http, code] as const),
])

function ofCluster(cause: KubeError): ApiError {
  const options = { cause, retryAfterMs: cause.retryAfterMs }
  const code = byStatus.get(cause.code)
  if (code === undefined || code === 'Internal') {
    const message = 'the Kubernetes API server does not answer; try again'
    return new ApiError('Unavailable', message, options)
  }
  return new ApiError(code, clusterMessage(cause), options)
}

/** The message of the API server, without the request that the client prepends. */
function clusterMessage({ message }: KubeError): string {
  return message.replace(/^[A-Z]+ \/\S*: /, '')
}
