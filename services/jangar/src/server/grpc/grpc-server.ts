import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type Clock, type Runnable, sleep, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'
import {
  type CertificateFiles,
  type KeyPair,
  readKeyPair,
  renewCertificate,
  tlsOptions,
} from '../http/certificate.ts'

export type RpcHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void

interface GrpcServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** If omitted, the server does not use TLS. */
  readonly tls: CertificateFiles | undefined
  readonly handler: RpcHandler
  /** Called when the server stops, to end streaming calls. */
  readonly onStop: () => void
  /** Time limit for running calls during shutdown. */
  readonly drainMs: number
  readonly log: Logger
  readonly clock: Clock
  /** How often the certificate is read again. */
  readonly certificateIntervalMs?: number
}

interface Serving {
  readonly server: Http2Server | Http2SecureServer
  readonly pair: KeyPair | undefined
}

/** The server cannot listen. The message says why, and which setting to change. */
class GrpcUnavailable extends Error {
  override name = 'GrpcUnavailable'
}

/** HTTP/2, with or without TLS. */
export class GrpcServer implements Runnable {
  readonly name = 'gRPC server'
  readonly #options: GrpcServerOptions
  readonly #sessions = new Set<ServerHttp2Session>()
  #serving: Serving | undefined

  constructor(options: GrpcServerOptions) {
    this.#options = options
  }

  /** Available once the server listens. */
  get port(): number {
    const address = this.#serving?.server.address() as AddressInfo | null | undefined
    if (!address) throw new Error('the gRPC server is not listening')
    return address.port
  }

  /** The address for clients. */
  get address(): string {
    return addressOf(this.#options.host, this.port)
  }

  async start(): Promise<void> {
    const { host, port, tls } = this.#options
    const pair = tls && (await readKeyPair(tls))
    const server = this.#create(pair)
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: NodeJS.ErrnoException): void => {
        const sentence = `the gRPC server cannot listen on ${addressOf(host, port)}: ${whyNot(cause)}`
        reject(new GrpcUnavailable(sentence, { cause }))
      }
      server.once('error', refuse)
      server.listen({ host, port }, () => {
        server.off('error', refuse)
        resolve()
      })
    })
    this.#serving = { server, pair }
  }

  #create(pair: KeyPair | undefined): Http2Server | Http2SecureServer {
    const { handler, log } = this.#options
    const settings = { maxConcurrentStreams: 100 }
    const server = pair
      ? createSecureServer({ ...tlsOptions(pair), settings }, handler)
      : createServer({ settings }, handler)
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
    })
    const noteFailure = (error: Error): void => {
      log.debug('gRPC connection failed', { reason: error.message })
    }
    // A client that does not use HTTP/2 or TLS, or whose connection broke.
    server.on('sessionError', noteFailure)
    server.on('tlsClientError', noteFailure)
    return server
  }

  async #renew({ server, pair }: Serving, signal: AbortSignal): Promise<void> {
    const { tls, clock, log, certificateIntervalMs } = this.#options
    if (tls === undefined || pair === undefined) return
    const use = (next: KeyPair): void =>
      (server as Http2SecureServer).setSecureContext(tlsOptions(next))
    const interval =
      certificateIntervalMs === undefined ? {} : { intervalMs: certificateIntervalMs }
    await renewCertificate({ files: tls, use, clock, log, ...interval }, pair, signal)
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#serving === undefined) return
    const { server } = this.#serving
    const renewing = this.#renew(this.#serving, signal)
    await whenAborted(signal)
    await renewing
    const { onStop, drainMs, clock, log } = this.#options
    const drained = new AbortController()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    onStop()
    for (const session of this.#sessions) session.close()
    const late = sleep(clock, drainMs, drained.signal).then(() => {
      if (drained.signal.aborted) return
      log.warn('gRPC calls interrupted by shutdown', { connections: this.#sessions.size })
      for (const session of this.#sessions) session.destroy()
    })
    await closed
    drained.abort()
    await late
  }
}

function addressOf(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  const change = (setting: string, value: string): string =>
    `Change ${setting} (${value} of the chart), or set JANGAR_GRPC_ENABLED to false.`
  if (code === 'EADDRINUSE') {
    return `another process uses the port. ${change('JANGAR_GRPC_PORT', 'grpc.port')}`
  }
  if (code === 'EACCES') {
    return `permission to use the port was denied. ${change('JANGAR_GRPC_PORT', 'grpc.port')}`
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the machine does not have this address. ${change('JANGAR_GRPC_HOST', 'grpc.host')}`
  }
  return message
}
