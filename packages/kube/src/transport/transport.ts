import type { IncomingHttpHeaders } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Pacing } from '../clock/pacing.ts'
import { stringifyJson } from '../json/stringify-json.ts'
import { createAgentPool } from './agents.ts'
import type { Connection, Credentials, Impersonation } from './connection.ts'
import { decodeBody } from './decode-body.ts'
import {
  type Exchange,
  exchange,
  type HttpStream,
  openStream,
  openUpgrade,
} from './http-exchange.ts'
import { KubeError } from './kube-error.ts'
import { failureOf } from './refusal.ts'
import { type Repeatability, type RetryPolicy, withRetries } from './retry.ts'

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'

/** Options of every call of the client. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** The timeout of one attempt. Default 60,000. For streams it covers the response headers only. */
  readonly timeoutMs?: number | undefined
  /** Overrides the retries of the client; 0 disables them. */
  readonly retries?: number | undefined
}

/** Picks the call options from larger options. */
export function callOf({ signal, timeoutMs, retries }: CallOptions): CallOptions {
  return { signal, timeoutMs, retries }
}

export interface RawRequest extends CallOptions {
  readonly method?: HttpMethod
  /** Including the query, such as `/api/v1/pods?limit=1`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose request it is, if not that of the credentials or of the connection's `impersonate`. */
  readonly impersonate?: Impersonation | undefined
  /** Objects are sent as JSON, text and bytes as they are. */
  readonly body?: unknown
  /** The content type of the body. Default `application/json`. */
  readonly contentType?: string | undefined
  readonly accept?: string | undefined
  readonly acceptGzip?: boolean | undefined
  /** Default: `unsafe` for POST, `idempotent` for other methods. */
  readonly repeatability?: Repeatability | undefined
}

export interface RawAnswer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Sends requests to one cluster: connections, credentials, retries, errors. Independent of kinds. */
export interface Transport extends Pacing {
  readonly connection: Connection
  /** Resolves with a 2xx response; everything else is thrown as KubeError. */
  send(request: RawRequest): Promise<RawAnswer>
  /** Like `send`, with the parsed body. */
  sendJson(request: RawRequest): Promise<unknown>
  /** Resolves when the server has answered 2xx. Not retried unless requested. */
  open(request: RawRequest): Promise<HttpStream>
  /** Resolves with the connection when the server has switched protocols. Never retried. */
  upgrade(request: RawRequest): Promise<{ socket: Duplex; headers: IncomingHttpHeaders }>
  /** Closes all connections. */
  close(): void
}

interface TransportOptions extends Pacing {
  readonly userAgent: string
  readonly timeoutMs: number
  readonly retry: RetryPolicy
  /** Called with the text of each `Warning` header. */
  readonly onWarning?: ((text: string) => void) | undefined
  /** Called once per request with its outcome, for metrics. */
  readonly onRequest?: ((outcome: RequestOutcome) => void) | undefined
}

export interface RequestOutcome {
  readonly method: HttpMethod
  /** `<error>` if there was no response, as in the metric of client-go. */
  readonly code: string
  readonly host: string
  readonly durationMs: number
}

export function createTransport(connection: Connection, options: TransportOptions): Transport {
  const wire = createWire(connection, options)
  const { clock, random } = options

  const attemptOnce = async <T>(
    request: RawRequest,
    run: (call: Exchange) => Promise<T>,
  ): Promise<T> => {
    const call = await wire.prepare(request)
    try {
      return await run(call)
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 401) throw error
      if (connection.credentials === undefined) throw error
      // The token may have been replaced meanwhile: one retry with the current one.
      connection.credentials.rejected()
      const again = await wire.prepare(request)
      if (again.credentials === call.credentials) throw error
      return run(again)
    }
  }
  const repeated = <T>(request: RawRequest, retries: number, run: (call: Exchange) => Promise<T>) =>
    withRetries(
      () => attemptOnce(request, run),
      request.repeatability ?? (request.method === 'POST' ? 'unsafe' : 'idempotent'),
      { ...options.retry, retries },
      { clock, random },
      request.signal,
    )
  const send = (request: RawRequest): Promise<RawAnswer> =>
    repeated(request, request.retries ?? options.retry.retries, async (call) => {
      const { code, headers, body } = await wire.observe(call, exchange)
      if (code < 200 || code > 299) throw failureOf(call.attempt, code, headers, body)
      return { code, headers, bytes: body }
    })
  return {
    clock,
    random,
    connection,
    send,
    sendJson: async (request) => decodeBody(request, await send(request)),
    open: (request) =>
      repeated(request, request.retries ?? 0, async (call) => {
        const stream = await wire.observe(call, openStream)
        if (stream.code >= 200 && stream.code <= 299) return stream
        throw failureOf(call.attempt, stream.code, stream.headers, await stream.readBody())
      }),
    upgrade: (request) =>
      repeated(request, 0, async (call) => {
        const { code, headers, socket, readBody } = await wire.observe(call, openUpgrade)
        if (socket !== undefined) return { socket, headers }
        throw failureOf(call.attempt, code, headers, await readBody())
      }),
    close: () => wire.close(),
  }
}

interface Wire {
  prepare(request: RawRequest): Promise<Exchange & { credentials: Credentials }>
  observe<T extends { code: number; headers: IncomingHttpHeaders }>(
    call: Exchange,
    run: (call: Exchange) => Promise<T>,
  ): Promise<T>
  close(): void
}

function createWire(connection: Connection, options: TransportOptions): Wire {
  const { tls = {}, credentials, impersonate } = connection
  const server = new URL(connection.server)
  const secure = server.protocol === 'https:'
  const agents = createAgentPool(secure, tls)
  const prefix = server.pathname.replace(/\/$/, '')
  const address = {
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? (secure ? 443 : 80) : Number(server.port),
  }
  const fixed = { 'user-agent': options.userAgent, ...impersonationHeaders(impersonate) }
  return {
    prepare: async (request) => {
      request.signal?.throwIfAborted()
      const known = credentials === undefined ? noCredentials : await credentials.current()
      const authority = tls.authority === undefined ? undefined : await tls.authority()
      const { method = 'GET', path } = request
      const body = encodeBody(request.body)
      return {
        attempt: `${method} ${path.split('?', 1)[0]}`,
        secure,
        body,
        credentials: known,
        timeoutMs: request.timeoutMs ?? options.timeoutMs,
        signal: request.signal,
        options: {
          ...address,
          method,
          path: prefix + path,
          agent: agents.agentFor(authority, known.clientCertificate),
          headers: headersOf(request, body, known, fixed),
        },
      }
    },
    observe: async (call, run) => {
      const start = performance.now()
      const report = (code: string): void =>
        options.onRequest?.({
          method: call.options.method as HttpMethod,
          code,
          host: server.host,
          durationMs: performance.now() - start,
        })
      try {
        const answer = await run(call)
        report(String(answer.code))
        if (options.onWarning !== undefined) warnings(answer.headers, options.onWarning)
        return answer
      } catch (error) {
        report('<error>')
        throw error
      }
    },
    close: () => agents.destroy(),
  }
}

const noCredentials: Credentials = {}

function headersOf(
  request: RawRequest,
  body: string | Uint8Array | undefined,
  { authorization }: Credentials,
  fixed: Record<string, string | string[]>,
): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = {
    accept: request.accept ?? 'application/json',
    ...fixed,
    ...request.headers,
    ...impersonationHeaders(request.impersonate),
  }
  if (authorization !== undefined) headers.authorization = authorization
  if (request.acceptGzip === true) headers['accept-encoding'] = 'gzip'
  if (body !== undefined) {
    headers['content-type'] = request.contentType ?? 'application/json'
    headers['content-length'] = Buffer.byteLength(body)
  }
  return headers
}

function encodeBody(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body
  return stringifyJson(body)
}

function impersonationHeaders(who: Impersonation | undefined): Record<string, string | string[]> {
  if (who === undefined) return {}
  const headers: Record<string, string | string[]> = { 'impersonate-user': who.user }
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid
  if (who.groups !== undefined) headers['impersonate-group'] = [...who.groups]
  for (const [name, values] of Object.entries(who.extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(name)}`] = [...values]
  }
  return headers
}

/** `299 - "text"`, several in one header, quotes escaped. */
function warnings(headers: IncomingHttpHeaders, onWarning: (text: string) => void): void {
  const { warning } = headers
  if (warning === undefined) return
  for (const [, text = ''] of warning.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
    onWarning(text.replace(/\\(.)/g, '$1'))
  }
}
