import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { yamlLibrary } from '../json/yaml-library.ts'
import type { ApiError, Status } from '../status/api-error.ts'
import { wantsIndentation } from './indentation.ts'

/** Smaller bodies cost more to compress than to send. */
export const compressAbove = 128 * 1024

const gzipAsync = promisify(gzip)

export function acceptsGzip(request: IncomingMessage): boolean {
  const header = request.headers['accept-encoding']
  return (
    typeof header === 'string' &&
    /(?:^|,)\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/.test(header)
  )
}

/** Sends a whole body. An empty content type is not sent. HEAD gets only the headers. */
export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  contentType: string,
  body: Buffer,
): Promise<void> {
  let bytes = body
  if (body.length > compressAbove && acceptsGzip(request)) {
    bytes = await gzipAsync(body, { level: 1 })
    response.setHeader('Content-Encoding', 'gzip')
    response.setHeader('Vary', 'Accept-Encoding')
  }
  response.statusCode = code
  if (contentType !== '') response.setHeader('Content-Type', contentType)
  response.setHeader('Content-Length', bytes.length)
  if (request.method === 'HEAD') response.end()
  else response.end(bytes)
}

async function sendStatus(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  status: Status,
): Promise<void> {
  const accept = request.headers.accept ?? ''
  if (accept.startsWith('application/yaml')) {
    await sendBody(
      request,
      response,
      code,
      'application/yaml',
      Buffer.from(yamlLibrary().stringify(status, { sortMapEntries: true })),
    )
    return
  }
  await sendBody(request, response, code, 'application/json', statusBytes(request, status))
}

function statusBytes({ headers, url = '' }: IncomingMessage, status: Status): Buffer {
  // Parsing the query again would take too long if it is the query that is too large.
  const [, pretty = ''] = /[?&]pretty=([^&]*)/.exec(url) ?? []
  const indent = wantsIndentation(headers, pretty) ? 2 : undefined
  return Buffer.from(`${JSON.stringify(status, undefined, indent)}\n`)
}

export async function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
): Promise<void> {
  const retryAfter = error.details?.retryAfterSeconds
  if (retryAfter !== undefined && retryAfter > 0) response.setHeader('Retry-After', retryAfter)
  await sendStatus(request, response, error.code, error.status())
}

export async function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  text: string,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff')
  await sendBody(request, response, code, 'text/plain; charset=utf-8', Buffer.from(text))
}

/** Sends the 404 for a path that is not served, in plain text like upstream. */
export async function sendNotFound(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await sendText(request, response, 404, '404 page not found\n')
}

export function setFrameHeaders(request: IncomingMessage, response: ServerResponse): void {
  const given = request.headers['audit-id']
  response.setHeader(
    'Audit-Id',
    typeof given === 'string' && /^[\w-]{1,64}$/.test(given) ? given : randomUUID(),
  )
  response.setHeader('Cache-Control', 'no-cache, private')
}

/** Formats `Warning: 299 - "…"` headers. Replaces characters that are invalid in headers, and sends at most 4 KiB. */
export function setWarnings(response: ServerResponse, warnings: readonly string[]): void {
  if (warnings.length === 0) return
  const values: string[] = []
  let total = 0
  for (const warning of new Set(warnings)) {
    const text = cleanWarning(warning)
    total += text.length
    if (total > 4096) break
    values.push(`299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
  }
  response.setHeader('Warning', values)
}

function cleanWarning(text: string): string {
  let clean = ''
  for (const character of text.slice(0, 1024)) {
    const code = character.charCodeAt(0)
    clean += code < 32 || code > 126 ? (code < 32 || code === 127 ? ' ' : '?') : character
  }
  return clean
}
