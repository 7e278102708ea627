import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { unauthorized } from '../endpoints/api-error.ts'
import type { UserInfo } from '../endpoints/user-info.ts'
import type {
  ServiceAccountTokens,
  TokenSubjects,
  VerifiedToken,
} from './tokens/service-account-token.ts'

export const authenticatedGroup = 'system:authenticated'

export const anonymous: UserInfo = {
  name: 'system:anonymous',
  groups: ['system:unauthenticated'],
}

export interface AuthenticatorOptions {
  readonly staticTokens: ReadonlyMap<string, UserInfo>
  readonly serviceAccounts: ServiceAccountTokens
  readonly subjects: TokenSubjects
  readonly clock: () => Date
}

export interface Authenticator {
  /** Who sent the request; `anonymous` when it carries no credentials; throws a 401 when they are no good. */
  authenticate(request: IncomingMessage): UserInfo
  verifyToken(token: string, audiences: readonly string[]): VerifiedToken | undefined
  /** Why `verifyToken` did not take it. */
  tokenProblem(token: string, audiences: readonly string[]): string
}

/** Client certificates, tokens of a file, and service-account tokens, in that order. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { serviceAccounts, subjects, clock } = options
  // Keyed by digest, so that how long a look-up takes says nothing about the tokens.
  const users = new Map(
    [...options.staticTokens].map(([token, user]) => [digest(token), signedIn(user)]),
  )

  const verifyToken = (token: string, audiences: readonly string[]): VerifiedToken | undefined => {
    const user = users.get(digest(token))
    if (user === undefined) {
      return serviceAccounts.verify(token, { audiences, now: clock(), subjects })
    }
    const granted = audiences.filter((audience) => audience === serviceAccounts.issuer)
    return granted.length === 0 ? undefined : { user, audiences: granted }
  }

  return {
    verifyToken,
    tokenProblem(token, audiences) {
      const invalid = 'invalid bearer token'
      const meant = serviceAccounts.audiencesOf(token)
      if (meant === undefined || audiences.some((each) => meant.includes(each))) return invalid
      const found = JSON.stringify(meant).replaceAll(',', ' ')
      const asked = JSON.stringify(audiences).replaceAll(',', ' ')
      return `[${invalid}, token audiences ${found} is invalid for the target audiences ${asked}]`
    },
    authenticate(request) {
      const certified = certificateUser(request)
      if (certified) return certified
      const token = bearerToken(request)
      if (token === undefined) return anonymous
      const verified = verifyToken(token, [serviceAccounts.issuer])
      if (verified === undefined) throw unauthorized()
      return verified.user
    },
  }
}

/** Common name and organizations of a certificate that our authority signed. */
function certificateUser({ socket }: IncomingMessage): UserInfo | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject } = socket.getPeerCertificate()
  if (!subject?.CN) return undefined
  const organizations = subject.O as string | string[] | undefined
  return signedIn({
    name: String(subject.CN),
    groups: organizations === undefined ? [] : [organizations].flat(),
  })
}

function bearerToken({ headers }: IncomingMessage): string | undefined {
  const [scheme, token, ...rest] = (headers.authorization ?? '').trim().split(/ +/)
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return undefined
  return token
}

function signedIn(user: UserInfo): UserInfo {
  return user.groups.includes(authenticatedGroup)
    ? user
    : { ...user, groups: [...user.groups, authenticatedGroup] }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64')
}
