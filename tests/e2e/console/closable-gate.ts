import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Gate {
  readonly url: string
  cut(): void
  heal(): void
  stop(): Promise<void>
}

/** Stands before the API, and can be closed as if the network were gone. */
export async function startGate(port: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server: Server = createServer((socket) => {
    if (!isOpen) return socket.destroy()
    const inner = connect(port, '127.0.0.1')
    for (const each of [socket, inner]) {
      sockets.add(each)
      each.on('error', () => undefined)
      each.on('close', () => {
        sockets.delete(each)
        socket.destroy()
        inner.destroy()
      })
    }
    socket.pipe(inner).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `https://127.0.0.1:${address.port}`,
    cut: () => {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    heal: () => {
      isOpen = true
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
