import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { stringifyJson } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Authenticate } from '../api/access/authenticator.ts'
import { ApiError, apiErrorOf } from '../api/api-error.ts'
import { checkBody } from './check-body.ts'
import { nameIn, namespaceIn, objectIn } from './namespace-in.ts'
import type { NoteAct, NotedAct } from './note-act.ts'
import type { OpenRequests } from './open-requests.ts'
import { checkPathParameters } from './path-pattern.ts'
import { readQuery } from './read-query.ts'
import type { RequestRate } from './request-rate.ts'
import type { Answer, Route } from './route.ts'
import { textProblem } from './schema.ts'

interface RouteCallerPorts {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Shared with the HTTP port: who uses both has no more. */
  readonly rate: RequestRate
  readonly openPerUser: OpenRequests
  readonly noteAct: NoteAct | undefined
  readonly log: Logger
  /** Aborted when the server stops: streams end. */
  readonly closing: AbortSignal
}

/** A request to an operation, from another protocol than HTTP. */
export interface RouteRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: URLSearchParams
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The body of an operation that reads it as it comes. */
  readonly content?: Uint8Array
}

/** Calls the operation as whoever the header `authorization` belongs to. Throws an `ApiError`. */
export type CallRoute = (
  authorization: string | undefined,
  /** `listRuns`, as in the description. */
  operation: string,
  /** Called when the caller is known: nothing is read for strangers. May throw an `ApiError`. */
  read: () => RouteRequest,
  signal: AbortSignal,
) => Promise<Answer>

/** The operations for callers, with the same checks, limits and entries of the audit as over HTTP. */
export function routeCaller(ports: RouteCallerPorts): CallRoute {
  const { authenticate, rate, openPerUser, closing, log } = ports
  const routes = new Map(ports.routes.map((route) => [route.id, route]))
  return async (authorization, operation, read, signal) => {
    const route = routes.get(operation)
    if (route?.access !== 'caller') throw new TypeError(`${operation} is not a route for callers`)
    const id = randomUUID()
    const noted: NotedAct = { action: route.id, isChange: route.method !== 'GET' }
    let user: string | undefined
    let release: (() => void) | undefined
    try {
      const caller = await authenticate(authorization)
      user = caller.username
      rate.count(user)
      release = openPerUser.take(user)
      const request = read()
      const { path = {}, query: given = new URLSearchParams(), body, content } = request
      checkPathParameters(path)
      noted.namespace = path.namespace ?? namespaceIn(body)
      noted.name = objectIn(path)
      const query = readQuery(given, route.query ?? {}, route.requiredQuery)
      noted.namespace ??= namespaceIn(query)
      const headers = checkedHeaders(route, request.headers ?? {})
      checkGiven(route, body, content)
      noted.name ??= nameIn(body)
      const stream = Readable.from(content === undefined ? [] : [Buffer.from(content)])
      const whole = AbortSignal.any([signal, closing])
      const answer = await route.handle(
        { path, query, headers, body, stream, signal: whole },
        caller,
      )
      await ports.noteAct?.(noted, user, answer.status ?? 200, id)
      if (!('chunks' in answer)) return answer
      const held = release
      release = undefined
      return { ...answer, chunks: until(answer.chunks, () => held?.()) }
    } catch (error) {
      const failure = apiErrorOf(error)
      if (failure.code === 'Internal') log.error('call failed', { id, route: route.id, error })
      await ports.noteAct?.(noted, user, failure.httpStatus, id)
      throw failure
    } finally {
      release?.()
    }
  }
}

/** Calls `end` when nothing more is read. */
async function* until<T>(chunks: AsyncIterable<T>, end: () => void): AsyncGenerator<T, void> {
  try {
    yield* chunks
  } finally {
    end()
  }
}

function checkedHeaders({ headers = {} }: Route, given: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(given)) {
    const declared = headers[name]
    const problem = declared && textProblem(declared.schema, value)
    if (problem !== undefined) throw new ApiError('BadRequest', `the header ${name} ${problem}`)
  }
  return given
}

/** As a body of the HTTP port, in size and content. */
function checkGiven({ body }: Route, given: unknown, content: Uint8Array | undefined): void {
  if (body?.form === 'stream') {
    if (content === undefined) throw new ApiError('BadRequest', 'a body is required')
    checkSize(content.byteLength, body.maxBytes)
    return
  }
  if (given === undefined) {
    if (body !== undefined && body.required !== false) {
      throw new ApiError('BadRequest', 'a body is required')
    }
    return
  }
  if (body === undefined) throw new ApiError('BadRequest', 'the operation takes no body')
  checkSize(Buffer.byteLength(stringifyJson(given)), body.maxBytes)
  checkBody(given, body.schema)
}

function checkSize(bytes: number, most: number): void {
  if (bytes > most) throw new ApiError('TooLarge', `the body must have at most ${most} bytes`)
}
