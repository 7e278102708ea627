import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { type Authenticate, authenticator } from '../api/access/authenticator.ts'
import { runOfPod } from '../api/access/run-of-pod.ts'
import { ApiError, apiErrorOf } from '../api/api-error.ts'
import { checkBody } from './check-body.ts'
import { OpenRequests } from './open-requests.ts'
import { checkPathParameters, pathPattern } from './path-pattern.ts'
import { checkContentType, hasBody, limited, readJsonBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import type { Answer, ApiRequest, Route } from './route.ts'
import { textProblem } from './schema.ts'
import { sendAnswer, sendError } from './send-answer.ts'

interface AppPorts {
  readonly routes: readonly Route[]
  /** Of callers. Pods have tokens for another audience. */
  readonly authenticate: Authenticate
  /** With the rights of the control plane. */
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the server stops: streams end. */
  readonly closing: AbortSignal
}

/** Tokens of pods for this API are issued for this audience, so that they are of no use at the API server. */
const podAudience = 'agents.proompteng.ai'

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Answers requests: finds the route, checks the form, asks who calls, and calls the handler. */
export function createApp(ports: AppPorts): HttpHandler {
  const { client, clock, log, closing, authenticate: callers } = ports
  const routes = ports.routes.map((route) => ({ route, match: pathPattern(route.path) }))
  const pods = authenticator({ client, clock, log, audience: podAudience })
  const openPerUser = new OpenRequests()
  const answer = async (request: IncomingMessage, signal: AbortSignal, seen: Seen) => {
    checkHeaders(request)
    const { pathname, searchParams } = parseTarget(request.url ?? '/')
    const { route, path } = findRoute(routes, request.method ?? 'GET', pathname)
    seen.route = `${route.method} ${route.path}`
    const authorization = request.headers.authorization
    // Before anything of the request is looked at: strangers learn nothing, not even what is malformed.
    const invoke = await invocation(route, authorization, { callers, pods, client, seen })
    seen.release = openPerUser.take(seen.user)
    checkPathParameters(path)
    const query = readQuery(searchParams, route.query ?? {})
    const headers = readHeaders(request, route)
    const body = await bodyOf(request, route)
    const stream = limited(request, route.body?.form === 'stream' ? route.body.maxBytes : 0)
    return await invoke({ path, query, headers, body, stream, signal })
  }
  return (request, response) => {
    const id = randomUUID()
    const gone = new AbortController()
    const signal = AbortSignal.any([gone.signal, closing])
    response.once('close', () => gone.abort(new Error('the client is gone')))
    response.setHeader('x-request-id', id)
    const seen: Seen = {}
    const started = clock.elapsed()
    const work = async (): Promise<void> => {
      try {
        await sendAnswer(request, response, await answer(request, signal, seen), signal)
      } catch (error) {
        if (gone.signal.aborted) return
        const failure = apiErrorOf(error)
        if (failure.code === 'Internal')
          log.error('request failed', { id, route: seen.route, error })
        sendError(request, response, failure)
      } finally {
        const { route, user } = seen
        seen.release?.()
        const ms = Math.round(clock.elapsed() - started)
        log.debug('request answered', { id, route, user, code: response.statusCode, ms })
      }
    }
    void work()
  }
}

/** What the log says of a request: never its target, body or headers, which may contain secrets. */
interface Seen {
  route?: string
  user?: string
  release?: () => void
}

type Invoke = (request: ApiRequest) => Promise<Answer>

interface Doors {
  readonly callers: Authenticate
  readonly pods: Authenticate
  readonly client: KubeClient
  readonly seen: Seen
}

async function invocation(
  route: Route,
  authorization: string | undefined,
  { callers, pods, client, seen }: Doors,
): Promise<Invoke> {
  if (route.access === 'public') return async (request) => route.handle(request)
  if (route.access === 'caller') {
    const caller = await callers(authorization)
    seen.user = caller.username
    return async (request) => route.handle(request, caller)
  }
  const caller = await pods(authorization)
  seen.user = caller.username
  const pod = caller.pod()
  if (pod === undefined) throw new ApiError('Forbidden', 'the token is not bound to a pod')
  const run = await runOfPod(client, pod)
  return async (request) => route.handle(request, { ...pod, run })
}

/** Refuses what a proxy in front might read in another way. */
function checkHeaders({ rawHeaders }: IncomingMessage): void {
  const counts = new Map<string, number>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const name of ['authorization', 'host', 'content-length', 'content-type']) {
    if ((counts.get(name) ?? 0) > 1) {
      throw new ApiError('BadRequest', `the header ${name} may be given only once`)
    }
  }
}

function parseTarget(target: string): { pathname: string; searchParams: URLSearchParams } {
  const [pathname = '', ...rest] = target.split('?')
  // No path of the API needs an escape, so none is decoded: what is checked is what is used.
  if (!/^\/[A-Za-z0-9._~/-]*$/.test(pathname)) throw unknownPath()
  return { pathname, searchParams: new URLSearchParams(rest.join('?')) }
}

interface MatchedRoute {
  readonly route: Route
  readonly match: ReturnType<typeof pathPattern>
}

function findRoute(routes: readonly MatchedRoute[], method: string, pathname: string) {
  const segments = pathname.split('/')
  const found = routes.flatMap(({ route, match }) => {
    const path = match(segments)
    return path === undefined ? [] : [{ route, path }]
  })
  if (found.length === 0) throw unknownPath()
  const wanted = method === 'HEAD' ? 'GET' : method
  const chosen = found.find(({ route }) => route.method === wanted)
  if (chosen !== undefined) return chosen
  const allowed = found.map(({ route }) => route.method).join(', ')
  const headers = { allow: allowed }
  throw new ApiError('MethodNotAllowed', `the path allows ${allowed}`, { headers })
}

function unknownPath(): ApiError {
  return new ApiError('NotFound', 'unknown path; /openapi.json describes all paths')
}

function readHeaders(
  { headers }: IncomingMessage,
  route: Route,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(route.headers ?? {}).map(([name, { required = false, schema }]) => {
      const given = headers[name]
      const value = Array.isArray(given) ? given.join(', ') : given
      if (value === undefined && required) {
        throw new ApiError('BadRequest', `the header ${name} is required`)
      }
      const problem = value === undefined ? undefined : textProblem(schema, value)
      if (problem !== undefined) throw new ApiError('BadRequest', `the header ${name} ${problem}`)
      return [name, value]
    }),
  )
}

async function bodyOf(request: IncomingMessage, { body }: Route): Promise<unknown> {
  if (body === undefined) {
    if (hasBody(request)) throw new ApiError('BadRequest', 'the path takes no body')
    return undefined
  }
  if (body.form === 'json') {
    const value = await readJsonBody(request, body)
    if (value !== undefined) checkBody(value, body.schema)
    return value
  }
  checkContentType(request, body.contentType)
  return undefined
}
