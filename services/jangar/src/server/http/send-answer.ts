import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { stringifyJson } from '@agents/kube'
import type { ApiError } from '../api/api-error.ts'
import { cutResponse, forVersion, isHttp2 } from './http-version.ts'
import { endAfterBody, type LingerLimits } from './linger.ts'
import type { Answer } from './route.ts'
import type { UnreadAnswers } from './unread-answers.ts'

/** On every response: it belongs to one caller, and no browser may guess its type or frame it. */
export const standardHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const json = 'application/json; charset=utf-8'

/** How long a client may leave a stream unread. */
const longestStallMs = 30_000

/** Larger answers go piece by piece in HTTP/1: TLS copies what is written at once, for every client. HTTP/2 does so. */
const largestWrite = 64 * 1024

/** An answer without the objects that it was made of: an answer that waits for its client keeps its bytes alone. */
type SerializedAnswer = Exclude<Answer, { readonly json: unknown }> & {
  readonly contentType: string
}

export function serialized(answer: Answer): SerializedAnswer {
  if ('chunks' in answer || 'bytes' in answer) return answer
  const { status, headers } = answer
  const [contentType, text] =
    'json' in answer
      ? [json, `${stringifyJson(answer.json)}\n`]
      : [answer.contentType ?? 'text/plain; charset=utf-8', answer.text]
  const content = text.length <= largestWrite ? { text } : { bytes: Buffer.from(text) }
  return { ...(status && { status }), ...(headers && { headers }), contentType, ...content }
}

interface SendPorts {
  readonly signal: AbortSignal
  readonly unread: UnreadAnswers
}

export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: SerializedAnswer,
  { signal, unread }: SendPorts,
): Promise<void> {
  const { status = 200, contentType: type, headers = {} } = answer
  const isHead = request.method === 'HEAD'
  if ('chunks' in answer) {
    response.writeHead(status, {
      ...standardHeaders,
      'content-type': answer.contentType,
      ...forVersion(request, headers),
    })
    if (isHead) response.end()
    else await stream(response, answer.chunks, signal)
    return
  }
  const content = 'bytes' in answer ? answer.bytes : answer.text
  writeHead(request, response, status, { 'content-type': type, ...headers }, content)
  if (isHead) response.end()
  else if (typeof content === 'string' || content.length <= largestWrite || isHttp2(request)) {
    response.end(content)
  } else await stream(response, piecesOf(response, content, unread), signal)
}

async function* piecesOf(
  response: ServerResponse,
  bytes: Uint8Array,
  unread: UnreadAnswers,
): AsyncGenerator<Uint8Array, void> {
  const answer = { bytes: bytes.length, cut: () => cutResponse(response) }
  unread.add(answer)
  // Not before: what was written but not sent keeps all bytes in memory.
  response.once('close', () => unread.remove(answer))
  for (let at = 0; at < bytes.length; at += largestWrite) {
    yield bytes.subarray(at, at + largestWrite)
    unread.noteRead(answer)
  }
}

/** The form of all errors. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { code, message, httpStatus, headers, retryAfterMs }: ApiError,
  linger?: LingerLimits,
): void {
  if (response.headersSent) {
    // The status is gone; a cut tells the client that the response is not whole.
    cutResponse(response)
    return
  }
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000)
  const retryAfter = seconds === undefined ? {} : { 'retry-after': String(seconds) }
  const details = seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } }
  const text = `${JSON.stringify({ ok: false, code, error: message, ...details })}\n`
  const mustLinger = !request.complete && !isHttp2(request)
  const rest = mustLinger ? { connection: 'close' } : {}
  const all = { 'content-type': json, ...rest, ...retryAfter, ...headers }
  writeHead(request, response, httpStatus, all, text)
  const content = request.method === 'HEAD' ? '' : text
  if (!mustLinger) response.end(content)
  else {
    response.write(content)
    endAfterBody(request, response, linger)
  }
}

function writeHead(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  content: string | Uint8Array,
): void {
  response.writeHead(status, {
    ...standardHeaders,
    ...forVersion(request, headers),
    'content-length': String(Buffer.byteLength(content)),
  })
}

async function stream(
  response: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  response.flushHeaders()
  for await (const chunk of chunks) {
    if (response.destroyed) return
    if (response.write(chunk)) continue
    const stalled = AbortSignal.timeout(longestStallMs)
    await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) })
  }
  response.end()
}
