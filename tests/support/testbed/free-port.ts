import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A loopback port for a program that is about to listen. It is outside of the range of ephemeral ports, and this
 * process reserves it by binding the UDP port of the same number, which all callers of this function check.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

async function reserve(port: number): Promise<boolean> {
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

async function isFree(port: number): Promise<boolean> {
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
