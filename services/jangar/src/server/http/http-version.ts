import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

/** Codes of RST_STREAM and GOAWAY. */
export const resetCodes = {
  noError: 0,
  internalError: 2,
  refusedStream: 7,
  cancel: 8,
  enhanceYourCalm: 11,
} as const

type AnyMessage = Pick<IncomingMessage | Http2ServerRequest, 'httpVersionMajor'>

export function isHttp2(request: AnyMessage): boolean {
  return request.httpVersionMajor === 2
}

/** Ends a request without an answer: with its connection in HTTP/1, alone in HTTP/2. */
export function cutRequest(request: IncomingMessage): void {
  const { stream } = request as Partial<Pick<Http2ServerRequest, 'stream'>>
  if (stream === undefined) request.destroy()
  else stream.close(resetCodes.cancel)
}

/**
 * Ends an answer in its middle, so that the client notices. In HTTP/2, one that is destroyed would look like a short
 * answer.
 */
export function cutResponse(response: ServerResponse): void {
  const { stream } = response as Partial<Pick<Http2ServerResponse, 'stream'>>
  if (stream === undefined) response.destroy()
  else stream.close(resetCodes.internalError)
}

/** Whether the request says that a body follows. HTTP/2 needs no length for it. */
export function announcesBody(request: IncomingMessage): boolean {
  const { stream, headers } = request as IncomingMessage &
    Partial<Pick<Http2ServerRequest, 'stream'>>
  if (headers['transfer-encoding'] !== undefined) return true
  if (headers['content-length'] !== undefined) return Number(headers['content-length']) > 0
  return stream?.endAfterHeaders === false
}

/** Whether the client has ended its request, whether or not the body was read. */
export function hasArrived(stream: ServerHttp2Stream): boolean {
  return stream.endAfterHeaders || (!stream.destroyed && stream.state.remoteClose === 1)
}

/**
 * Whether a body that was read to its end is whole, as the client ended it. HTTP/1 fails otherwise; in HTTP/2, this
 * does not depend on how Node shows a stream that was reset.
 */
export async function isWholeBody(request: IncomingMessage): Promise<boolean> {
  const { stream } = request as Partial<Pick<Http2ServerRequest, 'stream'>>
  if (stream === undefined) return true
  // nghttp2 gives the data of a frame away before it is done with the frame.
  await new Promise((resolve) => setImmediate(resolve))
  return hasArrived(stream)
}

/** HTTP/2 has no headers about a connection. */
export function forVersion<T extends Readonly<Record<string, unknown>>>(
  request: AnyMessage,
  { connection, ...others }: T & { readonly connection?: unknown },
) {
  return isHttp2(request) || connection === undefined ? others : { ...others, connection }
}
