import type { Agent, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpRequest, httpsRequest, zlib } from './http-modules.ts'
import { KubeError, noAnswerReason, unreachable } from './kube-error.ts'

/** One request on the wire. */
export interface Exchange {
  /** The request, for error messages: `GET /api/v1/pods`. */
  readonly attempt: string
  readonly secure: boolean
  readonly options: RequestOptions & { agent: Agent }
  readonly body: string | Uint8Array | undefined
  /** The timeout until the response is complete, or for a stream until it starts. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

interface HttpAnswer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpStream {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  /** Throws a KubeError if the connection breaks. */
  readonly chunks: AsyncIterable<Buffer>
  readBody(): Promise<Buffer>
  close(): void
}

export async function exchange(call: Exchange): Promise<HttpAnswer> {
  const opened = await open(call, true)
  return { code: opened.code, headers: opened.headers, body: await opened.readBody() }
}

/** A response whose body has not been read yet. */
export function openStream(call: Exchange): Promise<HttpStream> {
  return open(call, false)
}

/** A connection that left HTTP, or the response with which the server refused that. */
interface UpgradeAnswer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly socket?: Duplex
  readBody(): Promise<Buffer>
}

export function openUpgrade(call: Exchange): Promise<UpgradeAnswer> {
  return open(call, false)
}

/** With `whole`, the timeout includes reading the body. */
function open(call: Exchange, whole: boolean): Promise<HttpStream & { readonly socket?: Duplex }> {
  const { signal, attempt } = call
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    let failure: unknown
    const send = call.secure ? httpsRequest : httpRequest
    const sent = send(call.options)
    const fail = (error: unknown): void => {
      failure ??= error
      sent.destroy()
    }
    const onAbort = (): void => fail(signal?.reason)
    const timer = setTimeout(() => fail(noAnswer(call)), call.timeoutMs)
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const explain = (error: unknown): unknown => failure ?? broken(attempt, error)
    sent.on('error', (error) => {
      settle()
      reject(explain(error))
    })
    sent.on('response', (response) => {
      if (!whole) clearTimeout(timer)
      response.once('close', settle)
      resolve(streamOf(response, explain, () => sent.destroy()))
    })
    sent.on('upgrade', (response, socket, head) => {
      settle()
      if (head.length > 0) socket.unshift(head)
      resolve({ ...streamOf(response, explain, () => socket.destroy()), socket })
    })
    sent.end(call.body)
  })
}

function streamOf(
  response: IncomingMessage,
  explain: (error: unknown) => unknown,
  close: () => void,
): HttpStream {
  const zipped = response.headers['content-encoding'] === 'gzip'
  return {
    code: response.statusCode ?? 0,
    headers: response.headers,
    chunks: chunksOf(response, zipped, explain, close),
    readBody: async () => {
      const body = await readAll(response, explain)
      return zipped ? await unzip(body) : body
    },
    close,
  }
}

function readAll(response: IncomingMessage, explain: (error: unknown) => unknown): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    )
    response.on('error', (error) => reject(explain(error)))
    // A connection that breaks in the middle of a body emits neither of these events.
    response.on('close', () => {
      if (!response.complete) reject(explain(new Error('the connection was closed')))
    })
  })
}

async function* chunksOf(
  response: IncomingMessage,
  zipped: boolean,
  explain: (error: unknown) => unknown,
  close: () => void,
): AsyncGenerator<Buffer> {
  try {
    const plain = zipped ? response.compose(zlib().createGunzip()) : response
    for await (const chunk of plain) yield chunk
  } catch (error) {
    throw explain(error)
  } finally {
    close()
  }
}

function unzip(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().gunzip(body, (error, plain) => (error === null ? resolve(plain) : reject(error)))
  })
}

function noAnswer({ attempt, timeoutMs }: Exchange): KubeError {
  return new KubeError(`${attempt}: no response within ${timeoutMs} ms`, {
    code: 0,
    reason: noAnswerReason,
  })
}

function broken(attempt: string, cause: unknown): KubeError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new KubeError(`${attempt}: ${why}`, { code: 0, reason: unreachable, cause })
}
