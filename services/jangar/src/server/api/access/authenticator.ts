import { createHash } from 'node:crypto'
import type { Clock } from '@agents/controller'
import type { ReviewClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { ApiError } from '../api-error.ts'
import { bearerToken, tokenExpiry } from './bearer-token.ts'
import { Caller } from './caller.ts'
import { RecentAnswers } from './recent-answers.ts'

interface AuthenticatorPorts {
  readonly client: Pick<ReviewClient, 'reviewToken'>
  readonly clock: Clock
  readonly log: Logger
  /** Tokens must be issued for this audience. If omitted, for the API server. */
  readonly audience?: string
}

/** Asks the cluster whose token it is. Throws `Unauthenticated` if it is nobody's. */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>

/** How long an answer is used again. So long a revoked token works for what the control plane itself answers. */
const acceptedForMs = 10_000
const rejectedForMs = 2_000
const longestReviewMs = 10_000

export function authenticator({ client, clock, log, audience }: AuthenticatorPorts): Authenticate {
  const recent = new RecentAnswers<Caller | undefined>({ clock, capacity: 2_000, mostOpen: 64 })
  const review = async (token: string) => {
    const audiences = audience === undefined ? {} : { audiences: [audience] }
    const answer = await client
      .reviewToken(token, { timeoutMs: longestReviewMs, ...audiences })
      .catch((error: unknown) => {
        log.warn('token not reviewed', { error })
        throw new ApiError('Unavailable', 'the cluster cannot review tokens now; try again', {
          cause: error,
        })
      })
    const { authenticated = false, user } = answer
    // A server that ignores audiences accepts tokens for any.
    const isForUs = audience === undefined || (answer.audiences ?? []).includes(audience)
    if (!authenticated || !isForUs || !user?.username) {
      return { value: undefined, forMs: rejectedForMs }
    }
    const { username, uid, groups = [], extra = {} } = user
    const value = new Caller({ username, uid, groups, extra }, { token })
    return { value, forMs: Math.min(acceptedForMs, validForMs(token, clock.now())) }
  }
  return async (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) throw unauthenticated('send a token as "Authorization: Bearer …"')
    const digest = createHash('sha256').update(token).digest('base64')
    const caller = await recent.get(digest, () => review(token))
    if (caller === undefined) throw unauthenticated('the cluster does not accept the token')
    return caller
  }
}

function unauthenticated(message: string): ApiError {
  return new ApiError('Unauthenticated', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** The time until a token expires; an answer must not outlive it. */
function validForMs(token: string, now: Date): number {
  const expiry = tokenExpiry(token)
  return expiry === undefined ? acceptedForMs : expiry.getTime() - now.getTime()
}
