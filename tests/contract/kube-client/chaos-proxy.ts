import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between client and server that breaks connections at the byte level, without parsing the traffic. */
export interface ChaosProxy {
  readonly port: number
  /** Number of bytes from the server after which a new connection is cut. Undefined: never. */
  cutAfter: () => number | undefined
  /** Closes new connections immediately. */
  refuse: boolean
  /** Stops forwarding without closing any connection. */
  stalled: boolean
  readonly connections: number
  cutAll(): void
  stop(): Promise<void>
}

export async function startChaosProxy(targetPort: number): Promise<ChaosProxy> {
  const sockets = new Set<Socket>()
  let connections = 0
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    return socket
  }
  const server = createServer((client) => {
    connections++
    track(client)
    if (proxy.refuse) {
      client.destroy()
      return
    }
    const upstream = track(connect(targetPort, '127.0.0.1'))
    const limit = proxy.cutAfter()
    let passed = 0
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (chunk) => {
      if (!proxy.stalled) upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      if (proxy.stalled) return
      const room = limit === undefined ? chunk.length : Math.max(0, limit - passed)
      passed += chunk.length
      if (room >= chunk.length) client.write(chunk)
      else client.write(chunk.subarray(0, room), end)
    })
    client.on('close', end)
    upstream.on('close', end)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve())
  })
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy: ChaosProxy = {
    port: (server.address() as AddressInfo).port,
    cutAfter: () => undefined,
    refuse: false,
    stalled: false,
    get connections() {
      return connections
    },
    cutAll,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cutAll()
      }),
  }
  return proxy
}
