import type { IncomingMessage, ServerResponse } from 'node:http'
import { isWebSocketRequest, loadStreaming } from '@agents/kube'
import { ApiError } from '../status/api-error.ts'
import { responseSink, type WatchSink } from './watch-sink.ts'

/**
 * Accepts the WebSocket of a watch. Like upstream, the client must name an origin and may offer one subprotocol. Events
 * are text messages; messages of the client are ignored.
 */
async function webSocketSink(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<WatchSink> {
  const { openTextSocket } = await loadStreaming()
  if (!isOrigin(request.headers.origin)) throw new ApiError(403, 'Forbidden', 'null origin')
  const socket = openTextSocket(request, response)
  if (typeof socket === 'string') throw new ApiError(400, 'BadRequest', socket)
  return {
    stream: socket.stream,
    isShared: false,
    frame: (line) => socket.frame(line),
    send: (frame) => socket.stream.write(frame),
    unread: () => socket.stream.writableLength,
    end: () => socket.end(),
    destroy: () => socket.stream.destroy(),
    onClose: (listener) => void socket.closed.then(listener),
  }
}

function isOrigin(origin: string | undefined): boolean {
  return origin !== undefined && origin !== 'null' && URL.canParse(origin)
}

/** Starts the response to a watch. */
export async function openWatchSink(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<WatchSink> {
  if (isWebSocketRequest(request.headers)) return webSocketSink(request, response)
  response.statusCode = 200
  response.setHeader('Content-Type', 'application/json')
  // Sent immediately, since clients wait for the headers before they read events.
  response.flushHeaders()
  request.socket.setNoDelay(true)
  return responseSink(response)
}
