import type { IncomingMessage } from 'node:http'
import { parseJson } from '@agents/kube'
import { ApiError } from '../api/api-error.ts'
import { announcesBody, isWholeBody } from './http-version.ts'
import type { BodyDeclaration } from './route.ts'

/** A client that sends slower than this is cut. */
const longestBodyMs = 30_000

/** Reads the JSON of a request. Undefined if there is none. */
export async function readJsonBody(
  request: IncomingMessage,
  { contentType, maxBytes, required = true }: BodyDeclaration,
): Promise<unknown> {
  if (!announcesBody(request)) {
    if (required) throw new ApiError('BadRequest', `a body of type ${contentType} is required`)
    return undefined
  }
  checkContentType(request, contentType)
  const chunks: Buffer[] = []
  const timer = setTimeout(
    () => request.destroy(new ApiError('Timeout', 'the body was sent too slowly')),
    longestBodyMs,
  )
  try {
    for await (const chunk of limited(request, maxBytes)) chunks.push(chunk)
  } finally {
    clearTimeout(timer)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return parseJson(text)
  } catch (error) {
    throw notJson(error)
  }
}

function notJson(cause: unknown): ApiError {
  return new ApiError('BadRequest', 'the body is not JSON in UTF-8', { cause })
}

/** The bytes of a body, with an error beyond the limit. */
export async function* limited(
  request: IncomingMessage,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  const tooLarge = (): ApiError =>
    new ApiError('TooLarge', `the body must have at most ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  let size = 0
  // To destroy a request of HTTP/1 would close its connection before the error is sent.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    yield chunk
  }
  if (!(await isWholeBody(request))) throw new ApiError('BadRequest', 'the body was cut off')
}

export function checkContentType({ headers }: IncomingMessage, wanted: string): void {
  const given = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (given === wanted) return
  throw new ApiError('UnsupportedMediaType', `the body must be of type ${wanted}`)
}
