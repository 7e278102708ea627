import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Answers an upgrade request with 101 and returns its connection, which no longer speaks HTTP. */
export function takeOver(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Duplex {
  const { socket } = response
  if (socket === null) throw new Error('the connection has closed')
  response.removeAllListeners('finish')
  response.writeHead(101, headers)
  response.flushHeaders()
  response.detachSocket(socket)
  return socket
}
