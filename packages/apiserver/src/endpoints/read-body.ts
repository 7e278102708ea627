import type { IncomingMessage } from 'node:http'
import { badRequest, requestTooLarge } from './api-error.ts'

/** 3 MiB, as upstream: what etcd would take, and some. */
const bodyLimit = 3 * 1024 * 1024

/** The whole body. Throws a 413 as soon as it is clear that it is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit) throw requestTooLarge(`limit is ${bodyLimit}`)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  // By events, which cost a small body far less than iterating over it does.
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    chunks.push(chunk)
    if (size <= bodyLimit) return
    reject(requestTooLarge(`limit is ${bodyLimit}`))
    request.destroy()
  })
  request.once('end', () => {
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
  })
  request.once('error', (error) => reject(isReset(error) ? cutOff() : error))
  request.once('close', () => reject(cutOff()))
  return promise
}

function isReset(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNRESET'
}

function cutOff(): Error {
  return badRequest('the connection was closed before the request was complete')
}
