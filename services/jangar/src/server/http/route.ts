import type { Caller, PodIdentity } from '../api/access/caller.ts'
import type { PodRun } from '../api/access/run-of-pod.ts'
import type { BrowserRequest } from './browser-request.ts'
import type { JsonSchema, ParameterSchema, ParameterValue } from './schema.ts'

/**
 * One route of the API. To add one: declare it in a file of `routes/` with `publicRoute` or `callerRoute`, or as an
 * object with another `access`, list it in `routes/all-routes.ts`, and give it a row in `tests/e2e/control-
 * plane/matrix-rows.ts`, which says what each kind of caller gets. The server checks path, query, body and token
 * before `handle` is called; `handle` checks what the caller may do, with `mayDo` or by acting with the caller's
 * token.
 */
export type Route = PublicRoute | BrowserRoute | CallerRoute | PodRoute

interface RouteDeclaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/v1/runs/{namespace}/{name}`; the names of parameters are those of `pathParameters`. */
  readonly path: string
  /** The name of the operation in the description. */
  readonly id: string
  readonly summary: string
  /** What the summary leaves open: which rights decide, and what happens in the end. */
  readonly description: string
  readonly query?: Readonly<Record<string, ParameterSchema>>
  /** The parameters of `query` without which a request is refused. */
  readonly requiredQuery?: readonly string[]
  /** Headers that the handler reads, in lower case. */
  readonly headers?: Readonly<Record<string, HeaderDeclaration>>
  readonly body?: BodyDeclaration
  /** Refuses pages of other origins and, where the own ones are known, other hosts, even with a token. */
  readonly refusesOtherOrigins?: boolean
  /** The answers of success. Errors are the same for all routes. */
  readonly answers: Readonly<Record<number, AnswerDeclaration>>
}

interface HeaderDeclaration {
  readonly required?: boolean
  readonly schema: ParameterSchema & { readonly type: 'string' }
}

export interface BodyDeclaration {
  /** `json` is read and parsed by the server, `stream` by the handler. */
  readonly form: 'json' | 'stream'
  readonly contentType: string
  readonly maxBytes: number
  readonly schema: JsonSchema
  readonly required?: boolean
}

interface AnswerDeclaration {
  readonly description: string
  readonly contentType?: string
  readonly schema?: JsonSchema
}

interface PublicRoute extends RouteDeclaration {
  /** Anybody may call it. */
  readonly access: 'public'
  readonly handle: (
    request: ApiRequest,
    /** Says whose act the request is, for log and audit. The audit has no act of nobody on such a route. */
    isOf: (actor: string) => void,
  ) => Promise<Answer> | Answer
}

interface BrowserRoute extends RouteDeclaration {
  /** Pages of the console may call it, signed in or not. */
  readonly access: 'browser'
  readonly handle: (request: ApiRequest, browser: KnownBrowser) => Promise<Answer> | Answer
}

interface KnownBrowser extends BrowserRequest {
  /** Says whose act the request is, for log and audit. */
  isOf(username: string): void
}

interface CallerRoute extends RouteDeclaration {
  /** Whoever the cluster knows may call it, with a token or in a session. */
  readonly access: 'caller'
  readonly handle: (request: ApiRequest, caller: Caller) => Promise<Answer> | Answer
}

interface PodRoute extends RouteDeclaration {
  /**
   * Pods of runs may call it, with a token that is bound to the pod and issued for `podAudience`: they mount it by
   * `projected: {sources: [{serviceAccountToken: {audience: agents.proompteng.ai, path: token}}]}`.
   */
  readonly access: 'pod'
  readonly handle: (request: ApiRequest, pod: CallingPod) => Promise<Answer> | Answer
}

export interface CallingPod extends PodIdentity {
  readonly run: PodRun
}

/** A request after all checks of its form. */
export interface ApiRequest {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON. Undefined if there is none. */
  readonly body: unknown
  /** The body, if the route reads it itself. Ends with an error beyond `maxBytes`. */
  readonly stream: AsyncIterable<Buffer>
  /** Aborted when the client is gone or the server stops. */
  readonly signal: AbortSignal
}

export type Answer = JsonAnswer | TextAnswer | BytesAnswer | StreamAnswer

interface AnswerHead {
  /** If omitted, 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

interface JsonAnswer extends AnswerHead {
  readonly json: unknown
}

interface TextAnswer extends AnswerHead {
  readonly text: string
  /** If omitted, `text/plain; charset=utf-8`. */
  readonly contentType?: string
}

interface BytesAnswer extends AnswerHead {
  readonly bytes: Uint8Array
  readonly contentType: string
}

interface StreamAnswer extends AnswerHead {
  readonly contentType: string
  /** Sent piece by piece, as fast as the client reads. */
  readonly chunks: AsyncIterable<string | Uint8Array>
}

export function publicRoute(route: Omit<PublicRoute, 'access'>): Route {
  return { ...route, access: 'public' }
}

/** A route whose query has the types that it declares. */
export function callerRoute<const Q extends Readonly<Record<string, ParameterSchema>>>(
  route: Omit<CallerRoute, 'access' | 'handle' | 'query'> & {
    readonly query?: Q
    readonly handle: (
      request: Omit<ApiRequest, 'query'> & { readonly query: QueryOf<Q> },
      caller: Caller,
    ) => Promise<Answer> | Answer
  },
): Route {
  return { ...route, access: 'caller' } as CallerRoute
}

type QueryOf<Q> = {
  readonly [Name in keyof Q]: Q[Name] extends ParameterSchema ? ParameterValue<Q[Name]> : never
}
