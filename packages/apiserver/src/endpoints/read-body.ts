import type { IncomingMessage } from 'node:http'
import { badRequest, requestTooLarge, tooManyRequests } from '../status/api-error.ts'

/** 3 MiB as in upstream, somewhat above the limit of etcd. */
const bodyLimit = 3 * 1024 * 1024

/** Limits for bodies that are being read, in bytes, in total and per user: clients may start many and complete none. */
const maxUnread = 256 * 1024 * 1024
const maxUnreadOfOne = 48 * 1024 * 1024
const retryAfterSeconds = 1

let unread = 0
const unreadOf = new Map<string, number>()

/**
 * Reads the whole body. Throws a 413 as soon as it is too large, and a 429 if the user sends too many at the same time.
 */
export async function readBody(request: IncomingMessage, user: string): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > bodyLimit) throw requestTooLarge(`limit is ${bodyLimit}`)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  let chunks: Buffer[] = []
  let size = 0
  let isRefused = false
  // Events are much cheaper for small bodies than async iteration.
  request.on('data', (chunk: Buffer) => {
    if (isRefused) return
    size += chunk.length
    chunks.push(chunk)
    const ofUser = count(user, chunk.length)
    if (size > bodyLimit) {
      isRefused = true
      chunks = []
      reject(requestTooLarge(`limit is ${bodyLimit}`))
    } else if (ofUser > maxUnreadOfOne || unread > maxUnread) {
      isRefused = true
      chunks = []
      reject(tooManyRequests('too many large requests, please try again later', retryAfterSeconds))
    }
  })
  let isComplete = false
  request.once('end', () => {
    isComplete = true
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
  })
  request.once('error', (error) => reject(isReset(error) ? cutOff() : error))
  // Every request is closed in the end: an error, whose stack takes time to record, is for those that were cut off.
  request.once('close', () => {
    if (!isComplete) reject(cutOff())
  })
  try {
    return await promise
  } finally {
    count(user, -size)
  }
}

function count(user: string, bytes: number): number {
  unread += bytes
  const ofUser = (unreadOf.get(user) ?? 0) + bytes
  if (ofUser === 0) unreadOf.delete(user)
  else unreadOf.set(user, ofUser)
  return ofUser
}

function isReset(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNRESET'
}

function cutOff(): Error {
  return badRequest('the connection was closed before the request was complete')
}
