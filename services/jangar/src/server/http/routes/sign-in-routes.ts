import { group } from '@agents/jangar-api'
import type { MayDo } from '../../api/access/authorizer.ts'
import { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import { type BrowserSessions, sessionSeconds } from '../../api/session/browser-sessions.ts'
import type { OneTimeCodes } from '../../api/session/one-time-codes.ts'
import type { OpenIdProvider } from '../../api/sign-in/open-id-provider.ts'
import { attemptOf, newAttempt } from '../../api/sign-in/sign-in-attempt.ts'
import { setCookie } from '../browser-request.ts'
import { callerRoute, publicRoute, type Route } from '../route.ts'
import { endedSchema, openedSchema, who } from './session-records.ts'

export interface SessionPorts {
  readonly sessions: BrowserSessions
  /** Undefined if browsers cannot sign in with codes. */
  readonly codes: OneTimeCodes | undefined
  /** Undefined if people cannot sign in at a provider. */
  readonly provider: OpenIdProvider | undefined
}

interface SignInPorts {
  /** Undefined where no browsers are served. */
  readonly sessions: SessionPorts | undefined
  readonly mayDo: MayDo
}

/** So long a person may take at the provider. */
const attemptSeconds = 900

/** Signing in at an OpenID provider, and ending sessions of others. */
export function signInRoutes({ sessions: ports, mayDo }: SignInPorts): readonly Route[] {
  return [
    publicRoute({
      method: 'GET',
      path: '/v1/sign-in',
      id: 'listSignIns',
      summary: 'How browsers can sign in.',
      description: 'By a code, as `agentctl console` makes it, or at an OpenID provider.',
      answers: {
        200: {
          description: 'The ways.',
          schema: {
            type: 'object',
            required: ['code'],
            properties: {
              code: { type: 'boolean', description: 'Whether `POST /v1/session` takes codes.' },
              openIdConnect: {
                type: 'object',
                description: 'Absent if there is no provider.',
                required: ['issuer'],
                properties: { issuer: { type: 'string' } },
              },
            },
          },
        },
      },
      handle: () => ({
        json: {
          code: ports?.codes !== undefined,
          ...(ports?.provider && { openIdConnect: { issuer: ports.provider.issuerUrl } }),
        },
      }),
    }),
    {
      method: 'POST',
      path: '/v1/sign-in',
      access: 'browser',
      id: 'startSignIn',
      summary: 'Begins to sign a browser in at the OpenID provider.',
      description:
        'Sets a cookie that binds the sign-in to this browser, and answers with the address to open. The request must come from a page of the console, by its `Origin`.',
      answers: {
        201: {
          description: 'The address at the provider.',
          schema: {
            type: 'object',
            required: ['url'],
            properties: { url: { type: 'string' } },
          },
        },
      },
      handle: async (_request, { attemptCookie }) => {
        const { provider } = withProvider(ports)
        const attempt = newAttempt()
        const url = await provider.addressFor(attempt)
        const cookie = setCookie(attemptCookie.name, attempt.secret, attemptSeconds)
        return { status: 201, headers: { 'set-cookie': cookie }, json: { url } }
      },
    },
    {
      method: 'POST',
      path: '/v1/sign-in/finish',
      access: 'browser',
      id: 'finishSignIn',
      summary: 'Signs a browser in with the answer of the OpenID provider.',
      description:
        'The answer is the query with which the provider opened `/signed-in`. Sets a cookie, and answers with a proof as `POST /v1/session` does. A session that the browser had ends.',
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 16_384 },
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['answer'],
          properties: { answer: { type: 'string', minLength: 1, maxLength: 12_000 } },
        },
      },
      answers: { 201: { description: 'The session.', schema: openedSchema } },
      handle: async ({ body }, browser) => {
        const { provider, sessions } = withProvider(ports)
        const { answer } = body as { readonly answer: string }
        const { attemptCookie, cookieName, id, proof } = browser
        if (!attemptCookie.value) {
          const message = 'this browser did not begin to sign in; sign in again'
          throw new ApiError('Unauthenticated', message)
        }
        const identity = await provider.identityFrom(answer, attemptOf(attemptCookie.value))
        browser.isOf(identity.username)
        const before = await sessions.callerOf(id, proof).catch(() => undefined)
        const caller = Caller.impersonated(identity.username, identity.groups)
        const opened = await sessions.open(caller)
        await before?.session?.end()
        return {
          status: 201,
          headers: {
            'set-cookie': [
              setCookie(cookieName, opened.id, sessionSeconds),
              setCookie(attemptCookie.name, '', 0),
            ],
          },
          json: { ...who(opened.caller), proof: opened.proof },
        }
      },
    },
    callerRoute({
      method: 'DELETE',
      path: '/v1/sessions',
      id: 'endSessionsOf',
      summary: 'Ends all sessions of a user.',
      description: 'Needs the right to delete `sessions.agents.proompteng.ai` in the cluster.',
      query: { username: { type: 'string', minLength: 1, maxLength: 1000 } },
      answers: { 200: { description: 'How many sessions were ended.', schema: endedSchema } },
      handle: async ({ query: { username } }, caller) => {
        if (username === undefined) throw new ApiError('BadRequest', 'username is missing')
        if (!(await mayDo(caller, right))) {
          const what = `delete ${right.resource}.${right.group} in the cluster`
          throw new ApiError('Forbidden', `${caller.username} may not ${what}`)
        }
        return { json: { ended: await served(ports).sessions.endAllOf(username) } }
      },
    }),
  ]
}

/** There are no objects of this name. */
const right = {
  ...{ verb: 'delete', group: group.agents, version: 'v1alpha1', resource: 'sessions' },
} as const

function withProvider(ports: SessionPorts | undefined) {
  const { sessions, provider } = served(ports)
  if (provider === undefined) {
    throw new ApiError('NotFound', 'this API has no OpenID provider to sign in at')
  }
  return { sessions, provider }
}

export function served(ports: SessionPorts | undefined): SessionPorts {
  if (ports === undefined) throw new ApiError('NotFound', 'this API has no sessions for browsers')
  return ports
}
