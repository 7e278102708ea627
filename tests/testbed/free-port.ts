import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A loopback port for a program that is about to listen. Nobody else gets it: it lies below those that the system hands out by
 * itself, and as long as this process lives it holds the port of the same number for datagrams, which all who ask here respect.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

const reserve = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4').unref()
  try {
    const bound = once(socket, 'listening')
    socket.bind({ port, address: '127.0.0.1', exclusive: true })
    await bound
    return true
  } catch {
    socket.close()
    return false
  }
}

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    const listening = once(server, 'listening')
    server.listen(port, '127.0.0.1')
    await listening
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}
