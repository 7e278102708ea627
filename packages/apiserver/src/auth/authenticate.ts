import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { UserInfo } from '../request/user-info.ts'
import { unauthorized } from '../status/api-error.ts'
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

interface AuthenticatorOptions {
  readonly staticTokens: ReadonlyMap<string, UserInfo>
  readonly serviceAccounts: ServiceAccountTokens
  readonly subjects: TokenSubjects
  readonly clock: () => Date
}

export interface Authenticator {
  /** Returns the user, or `anonymous` for a request without credentials. Throws a 401 for invalid credentials. */
  authenticate(request: IncomingMessage): UserInfo
  verifyToken(token: string, audiences: readonly string[]): VerifiedToken | undefined
  /** Why `verifyToken` rejected the token. */
  tokenProblem(token: string, audiences: readonly string[]): string
}

/** Authenticates by client certificate, static token and service account token, in that order. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { serviceAccounts, subjects, clock } = options
  // Keyed by digest, so that the duration of a lookup reveals nothing about the tokens.
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
      const tokenAudiences = serviceAccounts.audiencesOf(token)
      if (tokenAudiences === undefined || audiences.some((each) => tokenAudiences.includes(each)))
        return invalid
      const found = JSON.stringify(tokenAudiences).replaceAll(',', ' ')
      const requested = JSON.stringify(audiences).replaceAll(',', ' ')
      return `[${invalid}, token audiences ${found} is invalid for the target audiences ${requested}]`
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

/** The user of a client certificate that the server's CA signed: its common name, and its organizations as groups. */
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
