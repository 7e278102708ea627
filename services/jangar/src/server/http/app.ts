import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { type Authenticate, authenticator } from '../api/access/authenticator.ts'
import type { CallerSession } from '../api/access/caller.ts'
import { runOfPod } from '../api/access/run-of-pod.ts'
import { ApiError, apiErrorOf } from '../api/api-error.ts'
import type { BrowserSessions } from '../api/session/browser-sessions.ts'
import {
  type BrowserRequest,
  type Browsers,
  claimsSession,
  readBrowserRequest,
  refuseOtherOrigins,
  setCookie,
} from './browser-request.ts'
import { checkBody } from './check-body.ts'
import type { ConsoleFiles } from './console-files.ts'
import { announcesBody, isHttp2 } from './http-version.ts'
import { nameIn, namespaceIn, objectIn } from './namespace-in.ts'
import type { NoteAct, NotedAct } from './note-act.ts'
import { OpenRequests } from './open-requests.ts'
import { checkPathParameters, pathPattern } from './path-pattern.ts'
import { checkContentType, limited, readJsonBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { RequestRate } from './request-rate.ts'
import type { Answer, ApiRequest, Route } from './route.ts'
import type { Door } from './routes/webhook-door.ts'
import { textProblem } from './schema.ts'
import { sendAnswer, sendError, serialized } from './send-answer.ts'
import { UnreadAnswers } from './unread-answers.ts'

interface AppPorts {
  readonly routes: readonly Route[]
  /** Of callers. Pods have tokens for another audience. */
  readonly authenticate: Authenticate
  /** If omitted, browsers have no sessions. */
  readonly browsers?: (Browsers & { readonly sessions: BrowserSessions }) | undefined
  /** Answers what is not a path of the API. */
  readonly consoleFiles?: ConsoleFiles
  /** With the rights of the control plane. */
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the server stops: streams end. */
  readonly closing: AbortSignal
  /** How often each user may ask, and how much at a time. */
  readonly rate?: RequestRate
  readonly openPerUser?: OpenRequests
  /** If omitted, all requests go the usual way. */
  readonly door?: Door | undefined
  /** If omitted, acts are not recorded. */
  readonly noteAct?: NoteAct | undefined
}

/** Tokens of pods for this API are issued for this audience, so that they are of no use at the API server. */
const podAudience = 'agents.proompteng.ai'

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Answers requests: finds the route, checks the form, asks who calls, and calls the handler. */
export function createApp(ports: AppPorts): HttpHandler {
  const { client, clock, log, closing, browsers, authenticate: callers } = ports
  const routes = ports.routes.map((route) => ({ route, match: pathPattern(route.path) }))
  const pods = authenticator({ client, clock, log, audience: podAudience })
  const { openPerUser = new OpenRequests(), rate = new RequestRate(clock) } = ports
  const unread = new UnreadAnswers()
  const answer = async (
    request: IncomingMessage,
    given: Buffer | undefined,
    signal: AbortSignal,
    seen: Seen,
  ) => {
    checkHeaders(request)
    const target = request.url ?? '/'
    if (ports.consoleFiles?.isFor(target)) {
      seen.route = 'console'
      return await ports.consoleFiles.answer(request, target)
    }
    const { pathname, searchParams } = parseTarget(target)
    const { route, path } = findRoute(routes, request.method ?? 'GET', pathname)
    seen.route = `${route.method} ${route.path}`
    if (route.refusesOtherOrigins) refuseOtherOrigins(request, browsers)
    const isPublic = route.access === 'public'
    // Those who deliver to webhooks do not wait for the entry: the inbox has the delivery.
    const isChange = route.method !== 'GET' && !isPublic
    const noted: NotedAct = { action: route.id, isChange }
    if (!isPublic) seen.act = noted
    // Before anything of the request is looked at: strangers learn nothing, not even what is malformed.
    const invoke = await invocation(route, request, {
      ...{ callers, pods, client, browsers, seen, noted },
    })
    rate.count(seen.pod ?? seen.user)
    seen.release = openPerUser.take(seen.user)
    checkPathParameters(path)
    noted.namespace = path.namespace
    noted.name = objectIn(path)
    const query = readQuery(searchParams, route.query ?? {}, route.requiredQuery)
    noted.namespace ??= namespaceIn(query)
    noted.name ??= nameIn(query)
    const headers = readHeaders(request, route)
    const body = await bodyOf(request, route)
    noted.namespace ??= namespaceIn(body)
    noted.name ??= nameIn(body)
    const most = route.body?.form === 'stream' ? route.body.maxBytes : 0
    const stream = given === undefined ? limited(request, most) : only(given)
    const { session } = seen
    const whole = session ? AbortSignal.any([signal, session.ended]) : signal
    return await invoke({ path, query, headers, body, stream, signal: whole })
  }
  const handle = (request: IncomingMessage, response: ServerResponse, given?: Buffer): void => {
    const id = randomUUID()
    const gone = new AbortController()
    const signal = AbortSignal.any([gone.signal, closing])
    let isClosed = false
    response.once('close', () => {
      isClosed = true
      // The usual end needs no error, which would cost more than many a request.
      if (!response.writableFinished) gone.abort(new Error('the client is gone'))
    })
    response.setHeader('x-request-id', id)
    const seen: Seen = {}
    const started = clock.elapsed()
    let isNoted = false
    const note = async (code: number): Promise<void> => {
      if (isNoted || seen.act === undefined) return
      isNoted = true
      await ports.noteAct?.(seen.act, seen.user, code, id)
    }
    const work = async (): Promise<void> => {
      try {
        const found = serialized(await answer(request, given, signal, seen))
        forgetEnded(response, seen)
        await note(found.status ?? 200)
        await sendAnswer(request, response, found, { signal, unread })
      } catch (error) {
        const hasEnded = seen.session?.ended.aborted === true
        const failure = hasEnded ? sessionEnded() : apiErrorOf(error)
        await note(failure.httpStatus)
        if (gone.signal.aborted) return
        if (failure.code === 'Internal')
          log.error('request failed', { id, route: seen.route, error })
        sendError(request, response, failure)
      } finally {
        const { route, user } = seen
        // An answer that waits for its client is open: it takes memory until it is read.
        if (seen.release && !isClosed) response.once('close', seen.release)
        else seen.release?.()
        seen.leave?.()
        const ms = Math.round(clock.elapsed() - started)
        log.debug('request answered', { id, route, user, code: response.statusCode, ms })
      }
    }
    void work()
  }
  return (request, response) => {
    const isTaken = ports.door?.(request, response, (body) => handle(request, response, body))
    if (isTaken !== true) handle(request, response)
  }
}

async function* only(body: Buffer): AsyncGenerator<Buffer, void> {
  yield body
}

/** What the log says of a request: never its target, body or headers, which may contain secrets. */
interface Seen {
  route?: string
  /** What the audit says of it. Absent if it is nobody's act. */
  act?: NotedAct
  user?: string
  /** Its uid. Pods of many runs share a user, and none may slow the others down. */
  pod?: string
  release?: () => void
  session?: CallerSession | undefined
  /** Called when a request of the session is over. */
  leave?: (() => void) | undefined
  browser?: BrowserRequest
}

/** A browser keeps no cookie of a session that the request has ended. */
function forgetEnded(response: ServerResponse, { session, browser }: Seen): void {
  if (session?.ended.aborted !== true || browser === undefined) return
  response.setHeader('set-cookie', setCookie(browser.cookieName, '', 0))
}

function sessionEnded(): ApiError {
  return new ApiError('Unauthenticated', 'the session has ended; sign in again')
}

type Invoke = (request: ApiRequest) => Promise<Answer>

interface Doors {
  readonly callers: Authenticate
  readonly pods: Authenticate
  readonly client: KubeClient
  readonly browsers: AppPorts['browsers']
  readonly seen: Seen
  readonly noted: NotedAct
}

async function invocation(route: Route, request: IncomingMessage, doors: Doors): Promise<Invoke> {
  const { pods, client, browsers, seen, noted } = doors
  const { authorization } = request.headers
  const isOf = (username: string): void => {
    seen.user = username
  }
  switch (route.access) {
    case 'public':
      return async (given) =>
        route.handle(given, (actor) => {
          isOf(actor)
          seen.act = noted
        })
    case 'browser': {
      if (browsers === undefined) throw new ApiError('NotFound', 'this API has no sessions')
      const browser = readBrowserRequest(request, browsers)
      return async (given) => route.handle(given, { ...browser, isOf })
    }
    case 'caller': {
      const caller = await callerOf(request, doors)
      seen.user = caller.username
      seen.session = caller.session
      seen.leave = caller.session?.attend()
      return async (given) => route.handle(given, caller)
    }
    case 'pod': {
      const caller = await pods(authorization)
      seen.user = caller.username
      const pod = caller.pod()
      if (pod === undefined) throw new ApiError('Forbidden', 'the token is not bound to a pod')
      seen.pod = pod.uid
      const run = await runOfPod(client, pod)
      return async (given) => route.handle(given, { ...pod, run })
    }
  }
}

/** By its token if it has one, else by its session. */
async function callerOf(request: IncomingMessage, { callers, browsers, seen }: Doors) {
  const { authorization } = request.headers
  if (authorization !== undefined || !browsers || !claimsSession(request, browsers)) {
    return await callers(authorization)
  }
  seen.browser = readBrowserRequest(request, browsers)
  return await browsers.sessions.callerOf(seen.browser.id, seen.browser.proof)
}

/** Refuses what a proxy in front might read in another way. */
function checkHeaders(request: IncomingMessage): void {
  const { rawHeaders } = request
  const counts = new Map<string, number>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const name of [
    'authorization',
    'host',
    'content-length',
    'content-type',
    'origin',
    // Browsers divide it in HTTP/2, which says how it is put together again.
    ...(isHttp2(request) ? [] : ['cookie']),
  ]) {
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
    if (announcesBody(request)) throw new ApiError('BadRequest', 'the path takes no body')
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
