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

export interface GrpcServerOptions {
  readonly host: string
  /** 0 takes one that is free. */
  readonly port: number
  readonly handler: RpcHandler
  /** Told that calls which have no end of their own must find one. */
  readonly onStop: () => void
  /** For calls under way when the server is asked to stop. */
  readonly drainMs: number
  readonly log: Logger
  readonly clock: Clock
}

/** Nothing listens; the message says why, and which setting to change. */
export class GrpcUnavailable extends Error {
  override name = 'GrpcUnavailable'
}

/** HTTP/2 without TLS, as gRPC clients inside a cluster speak it. */
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
    // Somebody who does not speak HTTP/2, or has gone away in the middle of it.
    this.#server.on('sessionError', (error: Error) => {
      options.log.debug('a gRPC connection broke', { reason: error.message })
    })
  }

  /** Known once it listens. */
  get port(): number {
    const address = this.#server.address() as AddressInfo | null
    if (!address) throw new Error('the gRPC server does not listen')
    return address.port
  }

  /** As a client would write it. */
  get address(): string {
    return addressOf(this.#options.host, this.port)
  }

  async start(): Promise<void> {
    const { host, port } = this.#options
    await new Promise<void>((resolve, reject) => {
      const refuse = (cause: NodeJS.ErrnoException): void => {
        const sentence = `gRPC cannot listen on ${addressOf(host, port)}: ${whyNot(cause)}`
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
      log.warn('gRPC calls were cut off', { connections: this.#sessions.size })
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
    `Set ${setting} (${value} of the chart) to another one, or JANGAR_GRPC_ENABLED=false.`
  if (code === 'EADDRINUSE') {
    return `another process uses that port. ${change('JANGAR_GRPC_PORT', 'grpc.port')}`
  }
  if (code === 'EACCES') {
    return `this user may not use that port. ${change('JANGAR_GRPC_PORT', 'grpc.port')}`
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `this machine has no such address. ${change('JANGAR_GRPC_HOST', 'grpc.host')}`
  }
  return message
}
