import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { PlatformHealth } from '../running-platform/platform-health.ts'

// Importing it would load WebSocket and fetch as well, which no start should wait for.
const { createServer } = process.getBuiltinModule('node:http')

export interface ControlServer {
  readonly port: number
  readonly token: string
  close(): void
}

/** Serves the requests of other agentctl commands: identity, health, and stop for `agentctl down`. */
export async function startControlServer(
  onStop: () => void,
  health: () => PlatformHealth,
): Promise<ControlServer> {
  const token = randomBytes(24).toString('hex')
  const expected = Buffer.from(`Bearer ${token}`)
  const server = createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
    const wanted = `${request.method} ${request.url}`
    const isKnown = ['GET /identity', 'GET /health', 'POST /stop'].includes(wanted)
    response.writeHead(!isOurs ? 401 : isKnown ? 200 : 404, {
      'x-agents-platform': 'local',
      connection: 'close',
    })
    response.end(isOurs && wanted === 'GET /health' ? JSON.stringify(health()) : '')
    if (isOurs && wanted === 'POST /stop') onStop()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    token,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
