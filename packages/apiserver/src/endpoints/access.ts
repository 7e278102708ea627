import type { IncomingMessage } from 'node:http'
import type { RequestInfo } from './request-info.ts'
import type { UserInfo } from './user-info.ts'

/**
 * Finds out who asks. `undefined` means that the request carries no usable credentials and anonymous access is off: 401.
 * Impersonation headers are resolved here too, so the authenticator may throw an ApiError (403).
 */
export type Authenticate = (
  request: IncomingMessage,
  info: RequestInfo,
) => UserInfo | undefined | Promise<UserInfo | undefined>

export interface Decision {
  readonly allowed: boolean
  /** Why not, appended to the 403 message. */
  readonly reason?: string
}

/** `info` is a resource request or a plain path; `info.verb` is the API verb or the lower-case HTTP method. */
export type Authorize = (user: UserInfo, info: RequestInfo) => Decision
