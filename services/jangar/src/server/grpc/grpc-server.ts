import {
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type Clock, type Runnable, sleep, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'

export type RpcHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void

interface GrpcServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly handler: RpcHandler
  /** Called when the server stops, to end streaming calls. */
  readonly onStop: () => void
  /** Time limit for running calls during shutdown. */
  readonly drainMs: number
  readonly log: Logger
  readonly clock: Clock
}

/** The server cannot listen. The message says why, and which setting to change. */
class GrpcUnavailable extends Error {
  override name = 'GrpcUnavailable'
}

/** HTTP/2 without TLS, which gRPC clients inside a cluster use. */
export class GrpcServer implements Runnable {
  readonly name = 'gRPC server'
  readonly #options: GrpcServerOptions
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #server

  constructor(options: GrpcServerOptions) {
    this.#options = options
    const settings = { maxConcurrentStreams: 100 }
    this.#server = createServer({ settings }, options.handler)
    this.#server.on('session', (session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
    })
    // A client that does not use HTTP/2, or whose connection broke.
    this.#server.on('sessionError', (error: Error) => {
      options.log.debug('gRPC connection failed', { reason: error.message })
    })
  }

  /** Available once the server listens. */
  get port(): number {
    const address = this.#server.address() as AddressInfo | null
    if (!address) throw new Error('the gRPC server is not listening')
    return address.port
  }

  /** The address for clients. */
  get address(): string {
    return addressOf(this.#options.host, this.port)
  }

  async start(): Promise<void> {
    const { host, port } = this.#options
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: NodeJS.ErrnoException): void => {
        const sentence = `the gRPC server cannot listen on ${addressOf(host, port)}: ${whyNot(cause)}`
        reject(new GrpcUnavailable(sentence, { cause }))
      }
      this.#server.once('error', refuse)
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', refuse)
        resolve()
      })
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    await whenAborted(signal)
    const { onStop, drainMs, clock, log } = this.#options
    const drained = new AbortController()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
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
