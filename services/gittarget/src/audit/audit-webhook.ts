import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Clock, type Runnable, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'
import {
  type AuditCredentialFiles,
  type AuditCredentials,
  hasToken,
  readAuditCredentials,
} from './audit-credentials.ts'
import { type AuditedWrite, InvalidAuditBatch, readAuditBatch } from './audited-write.ts'

export interface AuditWebhookOptions extends AuditCredentialFiles {
  /** If undefined, all addresses. */
  readonly host: string | undefined
  /** 0 picks a free port. */
  readonly port: number
  /** How often the files are read again. Default 10 s. */
  readonly reloadMs?: number
  readonly clock: Clock
  readonly log: Logger
  /** Returns whether the write was of interest. */
  onWrite(write: AuditedWrite): boolean
}

/** Several times what the API server sends at the level Metadata. */
const mostBytes = 4 * 1024 * 1024

/** Bodies in memory at the same time. */
const mostBodies = 2

const mostConnections = 64

/** How often refused requests are logged, of each status. */
const logIntervalMs = 60_000

/**
 * Receives audit events of API servers. They only name users: whoever could send them could name anybody as the author
 * of a commit, but change nothing else. Each request is authenticated before its body is read.
 */
export class AuditWebhook implements Runnable {
  readonly name = 'audit webhook'
  /** The number of answers by status. */
  readonly answers = new Map<string, number>()
  /** The number of received writes by whether they were of interest. */
  readonly writes = { kept: 0, ignored: 0 }
  readonly #options: AuditWebhookOptions
  readonly #loggedAt = new Map<number, number>()
  #server: Server | undefined
  #credentials: AuditCredentials | undefined
  #bodies = 0

  constructor(options: AuditWebhookOptions) {
    this.#options = options
  }

  /** Available once the server listens. */
  get port(): number {
    const address = this.#server?.address() as AddressInfo | null | undefined
    if (!address) throw new Error('the audit webhook is not listening')
    return address.port
  }

  async start(): Promise<void> {
    const { host, port, log } = this.#options
    const credentials = await readAuditCredentials(this.#options)
    // Importing it by name would load it in processes that do not use it.
    const { createServer } = process.getBuiltinModule('node:https')
    const server = createServer(
      {
        ...tlsOf(credentials),
        handshakeTimeout: 10_000,
        headersTimeout: 10_000,
        requestTimeout: 30_000,
      },
      (request, response) => void this.#answer(request, response),
    )
    server.maxConnections = mostConnections
    this.#credentials = credentials
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, ...(host !== undefined && { host }) }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    log.info('audit webhook listening', { port: this.port })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, reloadMs = 10_000 } = this.#options
    while (!signal.aborted) {
      await sleep(clock, reloadMs, signal)
      if (!signal.aborted) await this.#reload()
    }
    await new Promise<void>((resolve) => {
      this.#server?.close(() => resolve())
      this.#server?.closeAllConnections()
    })
  }

  /** Secrets are rotated while the process runs. A file that is useless leaves everything as it was. */
  async #reload(): Promise<void> {
    const { log } = this.#options
    try {
      const credentials = await readAuditCredentials(this.#options)
      if (credentials.revision === this.#credentials?.revision) return
      this.#server?.setSecureContext(tlsOf(credentials))
      this.#credentials = credentials
      log.info('audit webhook credentials reloaded')
    } catch (error) {
      log.warn('audit webhook credentials not reloaded', { error })
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log } = this.#options
    const answer = await this.#receive(request).catch((error: unknown): Answer => {
      if (request.destroyed && !request.complete) return { status: 400, text: 'incomplete request' }
      log.error('audit webhook failed', { error })
      return { status: 500, text: 'internal error' }
    })
    const { status, text = '' } = answer
    this.answers.set(String(status), (this.answers.get(String(status)) ?? 0) + 1)
    if (status !== 200) this.#logRefusal(status, text, request)
    response.writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      ...(status === 429 && { 'retry-after': '1' }),
      // The rest of the body, if any, is not read.
      ...(status !== 200 && { connection: 'close' }),
    })
    response.end(text === '' ? undefined : `${text}\n`)
  }

  async #receive(request: IncomingMessage): Promise<Answer> {
    const tokenDigest = this.#credentials?.tokenDigest
    if (tokenDigest !== undefined && !hasToken(request.headers.authorization, tokenDigest)) {
      return { status: 401, text: 'the request does not have the token of the audit webhook' }
    }
    if (request.url?.split('?', 1)[0] !== '/audit') return { status: 404, text: 'not found' }
    if (request.method !== 'POST') return { status: 405, text: 'method not allowed' }
    if (request.headers['content-encoding'] !== undefined) {
      return { status: 415, text: 'the body must not be compressed' }
    }
    if (this.#bodies >= mostBodies) return { status: 429, text: 'too many requests' }
    this.#bodies += 1
    try {
      const body = await readBody(request)
      return body === undefined
        ? { status: 413, text: `a body may have at most ${mostBytes} bytes` }
        : this.#take(body)
    } finally {
      this.#bodies -= 1
    }
  }

  #take(body: Buffer): Answer {
    try {
      for (const write of readAuditBatch(body)) {
        this.writes[this.#options.onWrite(write) ? 'kept' : 'ignored'] += 1
      }
      return { status: 200 }
    } catch (error) {
      if (error instanceof InvalidAuditBatch) return { status: 400, text: error.message }
      throw error
    }
  }

  #logRefusal(status: number, reason: string, { socket }: IncomingMessage): void {
    const { clock, log } = this.#options
    const at = clock.elapsed()
    if (at - (this.#loggedAt.get(status) ?? Number.NEGATIVE_INFINITY) < logIntervalMs) return
    this.#loggedAt.set(status, at)
    log.warn('audit request refused', { status, reason, from: socket.remoteAddress })
  }
}

interface Answer {
  readonly status: number
  readonly text?: string
}

function tlsOf({ cert, key, clientAuthority }: AuditCredentials) {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2' as const,
    ...(clientAuthority !== undefined && {
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: true,
    }),
  }
}

/** Undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return undefined
  const chunks: Buffer[] = []
  let size = 0
  // Destroying the request would take away the connection of the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > mostBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
