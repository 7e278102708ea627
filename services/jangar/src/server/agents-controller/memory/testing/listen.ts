import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface Listener {
  readonly port: number
  stop(): void
}

/** A server on loopback that calls `onConnection` for each connection. */
export async function listen(onConnection: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
