import type { Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type Clock, type Runnable, sleep, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { HttpHandler } from './app.ts'
import {
  type CertificateFiles,
  type KeyPair,
  readKeyPair,
  renewCertificate,
  tlsOptions,
} from './certificate.ts'
import { type Http2Limits, Http2Port } from './http2-port.ts'
import { isClosing } from './linger.ts'

// Importing them by name would load WebSocket and fetch, which no server needs.
const { createServer } = process.getBuiltinModule('node:http')
const { createServer: createTlsServer } = process.getBuiltinModule('node:https')

export interface HttpServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** If omitted, the server speaks plain HTTP. */
  readonly tls: CertificateFiles | undefined
  readonly handler: HttpHandler
  /** Called before the server listens. */
  readonly onStart?: () => Promise<void>
  /** Called when the server stops, to end streams. */
  readonly onStop: () => void
  /** Called when no request runs any more. */
  readonly onStopped: () => void
  /** Time limit for running requests during shutdown. */
  readonly drainMs: number
  readonly log: Logger
  readonly clock: Clock
  /** How often the certificate is read again. */
  readonly certificateIntervalMs?: number
  /** If omitted, as in production. */
  readonly http2Limits?: Partial<Http2Limits>
  /** How long a client of HTTP/1 may read nothing of an answer that is written as a whole. */
  readonly unreadMs?: number
}

/** Limits against clients that send slowly, much, or without end. */
const limits = {
  maxHeaderSize: 48 * 1024,
  headersTimeout: 10_000,
  // Includes the body: uploads of artifacts take long.
  requestTimeout: 300_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: true,
  noDelay: true,
}

const mostConnections = 5_000
const defaultUnreadMs = 60_000

/** The API's port. */
export class HttpServer implements Runnable {
  readonly name = 'API server'
  readonly #options: HttpServerOptions
  #serving: { readonly server: Server; readonly pair: KeyPair | undefined } | undefined
  /** Browsers and programs choose HTTP/2 with TLS alone. */
  readonly #http2: Http2Port
  #isStopping = false

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#http2 = new Http2Port(options.handler, options.clock, options.http2Limits)
  }

  /** Available once the server listens. */
  get port(): number {
    const address = this.#serving?.server.address() as AddressInfo | null | undefined
    if (!address) throw new Error('the API is not listening')
    return address.port
  }

  get url(): string {
    const { host, tls } = this.#options
    const name = isIPv6(host) ? `[${host}]` : host
    return `${tls === undefined ? 'http' : 'https'}://${name}:${this.port}`
  }

  async start(): Promise<void> {
    const { host, port, tls, unreadMs = defaultUnreadMs } = this.#options
    const pair = tls && (await readKeyPair(tls))
    await this.#options.onStart?.()
    const server = pair ? this.#createTlsServer(pair) : createServer(limits)
    server.maxConnections = mostConnections
    server.on('request', (request, response) => {
      if (isClosing(request)) return
      if (this.#isStopping) response.setHeader('connection', 'close')
      limitUnread(response, unreadMs)
      this.#options.handler(request, response)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, () => {
        server.off('error', reject)
        resolve()
      })
    }).catch((error: unknown) => {
      // Otherwise what was opened for the server would keep the process alive.
      this.#options.onStopped()
      throw error
    })
    this.#serving = { server, pair }
  }

  #createTlsServer(pair: KeyPair): TlsServer {
    const { protocols: ALPNProtocols } = Http2Port
    const server = createTlsServer({ ...limits, ...tlsOptions(pair), ALPNProtocols })
    this.#http2.attach(server)
    return server
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#serving === undefined) return
    const { server, pair } = this.#serving
    const { tls, clock, log, certificateIntervalMs } = this.#options
    const renewing =
      tls && pair
        ? renewCertificate(
            {
              files: tls,
              use: (next) => (server as TlsServer).setSecureContext(tlsOptions(next)),
              clock,
              log,
              ...(certificateIntervalMs !== undefined && { intervalMs: certificateIntervalMs }),
            },
            pair,
            signal,
          )
        : undefined
    await whenAborted(signal)
    await renewing
    await this.#drain(server)
    this.#options.onStopped()
  }

  /** Accepts nothing new, tells streams to end, and waits for running requests. */
  async #drain(server: Server): Promise<void> {
    const { onStop, drainMs, clock, log } = this.#options
    this.#isStopping = true
    const drained = new AbortController()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    onStop()
    server.closeIdleConnections()
    this.#http2.close()
    const late = sleep(clock, drainMs, drained.signal).then(() => {
      if (drained.signal.aborted) return
      log.warn('API requests interrupted by shutdown')
      server.closeAllConnections()
      this.#http2.closeAll()
    })
    await closed
    drained.abort()
    await late
  }
}

/** Node's timer of a connection begins again with each part that the client takes. */
function limitUnread(response: ServerResponse, unreadMs: number): void {
  response.once('prefinish', () => response.setTimeout(unreadMs))
  // Before Node sets the time for the next request.
  response.prependOnceListener('finish', () => response.setTimeout(0))
}
