import type { IncomingMessage, ServerResponse } from 'node:http'
import type { UserInfo } from '../request/user-info.ts'
import type { RequestThread } from './request-thread.ts'
import { sendBody } from './respond.ts'

/** Headers that the main thread sets itself, or that describe how the body is transferred. */
const ownHeaders = new Set(['audit-id', 'cache-control', 'content-length', 'content-type'])

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly user: UserInfo
  readonly time: Date
}

/** Sends the request to the thread for large requests, and its answer to the client. */
export async function offloadRequest(
  { request, response, user, time }: Exchange,
  offload: RequestThread,
  body: Buffer = Buffer.alloc(0),
): Promise<void> {
  // The main thread compresses the answer.
  const { 'accept-encoding': _encoding, ...headers } = request.headers
  const result = await offload.answer(
    {
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: headers as Record<string, string>,
      body,
      user,
      now: time.getTime(),
    },
    () => response.destroyed,
  )
  let contentType = ''
  for (const [name, value] of result.headers) {
    if (name === 'content-type') contentType = String(value)
    if (!ownHeaders.has(name)) response.setHeader(name, value)
  }
  const { buffer, byteOffset, byteLength } = result.body
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  await sendBody(request, response, result.status, contentType, bytes)
}
