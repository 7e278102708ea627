import type { IncomingMessage } from 'node:http'
import type { RequestInfo } from './request-info.ts'
import type { UserInfo } from './user-info.ts'

/**
 * Authenticates a request. Returns `undefined`, which leads to a 401, if the request has no valid credentials and
 * anonymous access is off. Resolves impersonation headers too, so it may throw an ApiError (403).
 */
export type Authenticate = (
  request: IncomingMessage,
  info: RequestInfo,
) => UserInfo | undefined | Promise<UserInfo | undefined>

interface Decision {
  readonly allowed: boolean
  /** Why the request is denied; appended to the message of the 403. */
  readonly reason?: string
}

/** `info` is a resource request or a plain path; `info.verb` is the API verb or the lower-case HTTP method. */
export type Authorize = (user: UserInfo, info: RequestInfo) => Decision
