import type { IncomingMessage } from 'node:http'
import { badRequest, requestTooLarge } from './api-error.ts'

/** 3 MiB, as upstream: what etcd would take, and some. */
export const bodyLimit = 3 * 1024 * 1024

/** The whole body. Throws a 413 as soon as it is clear that it is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit) throw requestTooLarge(`limit is ${bodyLimit}`)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > bodyLimit) throw requestTooLarge(`limit is ${bodyLimit}`)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') {
      throw badRequest('the connection was closed before the request was complete')
    }
    throw error
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}
