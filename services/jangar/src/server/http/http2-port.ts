import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  Http2Server,
  Http2ServerRequest,
  Http2ServerResponse,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2'
import type { Server as TlsServer } from 'node:https'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '@agents/controller'
import type { HttpHandler } from './app.ts'
import { hasArrived, resetCodes } from './http-version.ts'
import { pacedResponse } from './paced-response.ts'

/** Against clients that send slowly, much, or without end. Those of HTTP/1 are limits of the server. */
export interface Http2Limits {
  /** Open requests of one connection. */
  readonly streamsPerConnection: number
  /** Open requests of all connections: each costs memory before it is known whose it is. */
  readonly streams: number
  readonly headerBytes: number
  /** How long a connection is kept without a request, and a request until its body is whole. */
  readonly idleMs: number
  readonly requestMs: number
  /** How long a client may read nothing of what is written for it. */
  readonly unreadMs: number
  /**
   * What is kept for clients that read slowly or not at all. Beyond it, a connection's next answer is reset unless it
   * is the only one, and in all, the connection that keeps most is closed.
   */
  readonly unreadBytesPerConnection: number
  readonly unreadBytes: number
  readonly sweepMs: number
}

const defaults: Http2Limits = {
  streamsPerConnection: 100,
  streams: 10_000,
  headerBytes: 48 * 1024,
  idleMs: 75_000,
  requestMs: 300_000,
  unreadMs: 60_000,
  unreadBytesPerConnection: 16 * 1024 * 1024,
  unreadBytes: 64 * 1024 * 1024,
  sweepMs: 5_000,
}

interface OpenStream {
  readonly request: Http2ServerRequest
  readonly response: Http2ServerResponse
  readonly since: number
  readonly of: OpenSession
  /** Bytes of the answer that the client has not taken. */
  unread: number
  /** When the client last took some, or nothing waited for it. */
  movedAt: number
  resetAt?: number
}

interface OpenSession {
  readonly session: ServerHttp2Session
  readonly streams: Set<OpenStream>
  /** Of all its streams. */
  unread: number
  /** Since when it has no open stream. */
  idleSince: number
}

/**
 * HTTP/2 on the port of an HTTPS server: the connections whose client chose it when TLS began. Those of HTTP/1 stay
 * with the server. Floods of resets, settings, pings and empty frames end the connection in Node and nghttp2.
 */
export class Http2Port {
  readonly #handler: HttpHandler
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #limits: Http2Limits
  readonly #sessions = new Map<ServerHttp2Session, OpenSession>()
  readonly #entries = new WeakMap<ServerHttp2Stream, OpenStream>()
  #server: Http2Server | undefined
  #sweeper: NodeJS.Timeout | undefined
  #streams = 0
  #unread = 0
  #isClosing = false

  constructor(
    handler: HttpHandler,
    clock: Pick<Clock, 'elapsed'>,
    limits: Partial<Http2Limits> = {},
  ) {
    this.#handler = handler
    this.#clock = clock
    this.#limits = { ...defaults, ...limits }
  }

  /** The protocols that clients can choose. */
  static readonly protocols = ['h2', 'http/1.1']

  /** Takes the connections that chose HTTP/2. */
  attach(server: TlsServer): void {
    const others = server.listeners('secureConnection')
    server.removeAllListeners('secureConnection')
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') this.#open().emit('connection', socket)
      else for (const listener of others) listener.call(server, socket)
    })
  }

  /** Tells clients to send nothing more here. What has begun is finished. */
  close(): void {
    this.#isClosing = true
    for (const session of this.#sessions.keys()) session.close()
  }

  closeAll(): void {
    for (const session of this.#sessions.keys()) session.destroy()
  }

  /** Loaded by the first connection: many processes never have one. */
  #open(): Http2Server {
    if (this.#server !== undefined) return this.#server
    const { createServer, Http2ServerResponse } = process.getBuiltinModule('node:http2')
    const { streamsPerConnection, headerBytes, sweepMs } = this.#limits
    const server = createServer({
      settings: {
        enablePush: false,
        maxConcurrentStreams: streamsPerConnection,
        maxHeaderListSize: headerBytes,
      },
      maxSessionRejectedStreams: streamsPerConnection,
      Http2ServerResponse: pacedResponse(Http2ServerResponse, (stream, change) =>
        this.#note(stream, change),
      ),
    })
    server.on('session', (session) => this.#watch(session))
    server.on('request', (request, response) => this.#take(request, response))
    // What a client does wrong ends its connection, and is nothing to report.
    server.on('sessionError', () => undefined)
    this.#sweeper = setInterval(() => this.#sweep(), sweepMs)
    this.#sweeper.unref()
    this.#server = server
    return server
  }

  #watch(session: ServerHttp2Session): void {
    const idleSince = this.#clock.elapsed()
    this.#sessions.set(session, { session, streams: new Set(), unread: 0, idleSince })
    session.once('close', () => this.#sessions.delete(session))
    if (this.#isClosing) session.close()
  }

  #take(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const { stream } = request
    const { session } = stream
    const open = session && this.#sessions.get(session as ServerHttp2Session)
    if (open === undefined || this.#streams >= this.#limits.streams) {
      stream.close(resetCodes.refusedStream)
      return
    }
    const since = this.#clock.elapsed()
    const entry = { request, response, since, of: open, unread: 0, movedAt: since }
    open.streams.add(entry)
    this.#entries.set(stream, entry)
    this.#streams += 1
    stream.once('close', () => {
      this.#forget(entry)
      open.streams.delete(entry)
      open.idleSince = this.#clock.elapsed()
      this.#streams -= 1
    })
    // The answer has another event of the name, which comes when all is over.
    stream.once('finish', () => {
      // Nobody reads the rest of a body that was answered.
      if (!stream.closed && !hasArrived(stream)) stream.close(resetCodes.noError)
    })
    const refusal = this.#refusal(request)
    if (refusal !== undefined) {
      response.writeHead(refusal).end()
      return
    }
    this.#handler(request as unknown as IncomingMessage, response as unknown as ServerResponse)
  }

  /** What Node refuses in HTTP/1 with the same status. */
  #refusal(request: Http2ServerRequest): number | undefined {
    // nghttp2 applies the limit when the client has confirmed it, which not every client does.
    const bytes = request.rawHeaders.reduce((sum, text) => sum + text.length, 0)
    if (bytes > this.#limits.headerBytes) return 431
    return hasOneHost(request) ? undefined : 400
  }

  /** Called with each change of what waits for a client. */
  #note(stream: ServerHttp2Stream, change: number): void {
    const entry = this.#entries.get(stream)
    if (entry === undefined) return
    this.#count(entry, change)
    if (change < 0) {
      entry.movedAt = this.#clock.elapsed()
      return
    }
    const { unreadBytesPerConnection, unreadBytes } = this.#limits
    const { unread } = entry.of
    if (unread > unreadBytesPerConnection && unread > entry.unread)
      this.#reset(entry, resetCodes.enhanceYourCalm)
    if (this.#unread > unreadBytes) this.#closeLargest()
  }

  #count(entry: OpenStream, change: number): void {
    entry.unread += change
    entry.of.unread += change
    this.#unread += change
  }

  /** What still waits in a stream that is closed is freed with it. */
  #forget(entry: OpenStream): void {
    this.#entries.delete(entry.request.stream)
    this.#count(entry, -entry.unread)
  }

  #closeLargest(): void {
    const all = [...this.#sessions.values()]
    const largest = all.reduce((most, each) => (each.unread > most.unread ? each : most))
    this.#destroy(largest)
  }

  /** Without waiting for the client, which may never read that its streams are reset. */
  #destroy({ session, streams }: OpenSession): void {
    for (const entry of streams) this.#forget(entry)
    // Not while Node reads frames of the session: it may crash when a session ends under it.
    setImmediate(() => session.destroy(undefined, resetCodes.enhanceYourCalm))
  }

  #reset(entry: OpenStream, code: number): void {
    entry.resetAt ??= this.#clock.elapsed()
    entry.request.stream.close(code)
  }

  #sweep(): void {
    const now = this.#clock.elapsed()
    const { idleMs, requestMs, unreadMs } = this.#limits
    for (const open of this.#sessions.values()) {
      const { session, streams, idleSince } = open
      if (streams.size === 0 && now - idleSince > idleMs) session.close()
      for (const entry of streams) {
        const { request, response, since, resetAt } = entry
        if (entry.unread === 0 && !response.writableEnded) entry.movedAt = now
        const isLate = now - since > requestMs && !hasArrived(request.stream)
        const isUnread = now - entry.movedAt > unreadMs
        if (resetAt !== undefined && now - resetAt > unreadMs) this.#destroy(open)
        else if (isLate || isUnread) this.#reset(entry, resetCodes.cancel)
      }
    }
  }
}

/** Makes `host` what HTTP/1 calls it. False if the request names none, or two. */
function hasOneHost({ headers }: Http2ServerRequest): boolean {
  const authority = headers[':authority']
  if (headers.host === undefined) headers.host = authority
  return headers.host !== undefined && (authority ?? headers.host) === headers.host
}
