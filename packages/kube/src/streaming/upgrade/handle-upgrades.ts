import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Connections that left HTTP. */
export interface UpgradedRequests {
  /** A server does not count them among its connections when it closes. */
  destroyAll(): void
}

/**
 * Passes requests for an upgrade to the handler of all other requests, so that they are authenticated, authorized and
 * refused in the same way. The handler calls `takeOver` to leave HTTP.
 */
export function handleUpgrades(server: Server, handle: Handle): UpgradedRequests {
  // Not imported: that would load WebSocket and fetch, which take a large part of the start-up time.
  const { ServerResponse: Response } = process.getBuiltinModule('node:http')
  const sockets = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    if (head.length > 0) socket.unshift(head)
    const response = new Response(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
    response.once('finish', () => {
      response.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0])
      socket.end()
      socket.resume()
    })
    handle(request, response)
  })
  return {
    destroyAll: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
