import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { yamlLibrary } from '../json/yaml-library.ts'
import type { ApiError, Status } from './api-error.ts'

/** Smaller answers cost more to compress than to send. */
export const compressAbove = 128 * 1024

const gzipAsync = promisify(gzip)

export function acceptsGzip(request: IncomingMessage): boolean {
  const header = request.headers['accept-encoding']
  return (
    typeof header === 'string' &&
    /(?:^|,)\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/.test(header)
  )
}

/** Sends a whole body, of no type when that is empty. HEAD gets the headers alone. */
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
  await sendBody(request, response, code, 'application/json', statusBytes(status))
}

function statusBytes(status: Status): Buffer {
  return Buffer.from(`${JSON.stringify(status)}\n`)
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

/** A path that nothing serves; upstream answers in plain text. */
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

/** `Warning: 299 - "…"`; what HTTP cannot carry is replaced, and all of them together stay within 4 KiB. */
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
