import type { Caller } from '../../api/access/caller.ts'
import { ApiError } from '../../api/api-error.ts'
import { sessionSeconds } from '../../api/session/browser-sessions.ts'
import { setCookie } from '../browser-request.ts'
import { type Answer, callerRoute, type Route } from '../route.ts'
import type { JsonSchema } from '../schema.ts'
import { endedSchema, expirySchema, openedSchema, userSchema, who } from './session-records.ts'
import { type SessionPorts, served } from './sign-in-routes.ts'

const whoSchema: JsonSchema = {
  type: 'object',
  required: ['user'],
  properties: {
    user: userSchema,
    session: { ...expirySchema, description: 'Absent if the request has a token.' },
  },
}

/** Signing in and out of browsers. `ports` is undefined where no browsers are served. */
export function sessionRoutes({
  sessions: ports,
  review,
}: {
  readonly sessions: SessionPorts | undefined
  readonly review: (caller: Caller) => Promise<void>
}): readonly Route[] {
  return [
    callerRoute({
      method: 'POST',
      path: '/v1/session/codes',
      id: 'createSessionCode',
      summary: 'Makes a code with which a browser can sign in as the caller.',
      description:
        'The code works once, for a minute. Open the console at `/#code=CODE`: browsers do not send what follows the `#`. Callers need a token: a session cannot make codes.',
      answers: {
        201: {
          description: 'The code.',
          schema: {
            type: 'object',
            required: ['code', 'expiresAt'],
            properties: {
              code: { type: 'string' },
              expiresAt: { type: 'string', format: 'date-time' },
            },
          },
        },
      },
      handle: (_request, caller) => {
        const codes = codesOf(ports)
        if (caller.session !== undefined) {
          throw new ApiError('Forbidden', 'a session cannot make codes; use a token')
        }
        const { code, expiresAt } = codes.mint(caller)
        return { status: 201, json: { code, expiresAt: expiresAt.toISOString() } }
      },
    }),
    {
      method: 'POST',
      path: '/v1/session',
      access: 'browser',
      id: 'openSession',
      summary: 'Signs a browser in with a code.',
      description:
        'Sets a cookie, and answers with a proof that each request of the session sends as the header `x-agents-session`. The request must come from a page of the console, by its `Origin`.',
      body: {
        ...{ form: 'json', contentType: 'application/json', maxBytes: 4096 },
        schema: {
          type: 'object',
          additionalProperties: false,
          required: ['code'],
          properties: { code: { type: 'string', minLength: 1, maxLength: 200 } },
        },
      },
      answers: {
        201: { description: 'The session.', schema: openedSchema },
      },
      handle: async ({ body }, { id, proof: oldProof, cookieName }) => {
        const { sessions } = served(ports)
        const codes = codesOf(ports)
        const { code } = body as { readonly code: string }
        const before = await sessions.callerOf(id, oldProof).catch(() => undefined)
        const owner = codes.ownerOf(code)
        if (before !== undefined && owner !== undefined && !before.isSameUser(owner)) {
          // Somebody else may have made the code and the link to it.
          const message = `you are signed in as ${before.username}; sign out first`
          throw new ApiError('Conflict', message)
        }
        const caller = codes.take(code)
        if (caller === undefined) {
          throw new ApiError('Unauthenticated', 'the code was used, has expired or is wrong')
        }
        await review(caller)
        await before?.session?.end()
        const opened = await sessions.open(caller)
        return {
          status: 201,
          headers: { 'set-cookie': setCookie(cookieName, opened.id, sessionSeconds) },
          json: { ...who(opened.caller), proof: opened.proof },
        }
      },
    },
    callerRoute({
      method: 'GET',
      path: '/v1/session',
      id: 'getSession',
      summary: 'Who the caller is, as the cluster says.',
      description: 'In a session, also when it ends.',
      answers: { 200: { description: 'The caller.', schema: whoSchema } },
      handle: (_request, caller) => ({ json: who(caller) }),
    }),
    callerRoute({
      method: 'DELETE',
      path: '/v1/session',
      id: 'endSession',
      summary: 'Signs a browser out.',
      description:
        'With a token instead of a session, ends all sessions of the caller. If the person signed in at an OpenID provider that has an address for it, `signOutUrl` is where the browser signs out there, too.',
      answers: {
        200: {
          description: 'How many sessions were ended.',
          schema: {
            ...endedSchema,
            properties: {
              ...(endedSchema.properties as object),
              signOutUrl: {
                ...{ type: 'string', format: 'uri' },
                description: 'The browser opens it to sign out of the provider.',
              },
            },
          },
        },
      },
      handle: (_request, caller) => endSession(served(ports), caller),
    }),
  ]
}

async function endSession({ sessions, provider }: SessionPorts, caller: Caller): Promise<Answer> {
  const { session, username } = caller
  if (session === undefined) return { json: { ended: await sessions.endAllOf(username) } }
  await session.end()
  const isOfProvider = caller.impersonation() !== undefined
  const signOutUrl = isOfProvider ? await provider?.signOutAddress(username) : undefined
  return { json: { ended: 1, ...(signOutUrl !== undefined && { signOutUrl }) } }
}

function codesOf(ports: SessionPorts | undefined) {
  const { codes } = served(ports)
  if (codes === undefined) throw new ApiError('NotFound', 'this API has no codes for browsers')
  return codes
}
