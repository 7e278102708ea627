import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'

// Importing it would load WebSocket and fetch as well, which no start should wait for.
const { createServer } = process.getBuiltinModule('node:http')

export interface ControlServer {
  readonly port: number
  readonly token: string
  close(): void
}

/** Lets `agentctl down` end this process, and others make sure that it is the one they look for. */
export async function startControlServer(onStop: () => void): Promise<ControlServer> {
  const token = randomBytes(24).toString('hex')
  const expected = Buffer.from(`Bearer ${token}`)
  const server = createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
    const wanted = `${request.method} ${request.url}`
    const isKnown = wanted === 'GET /identity' || wanted === 'POST /stop'
    response.writeHead(!isOurs ? 401 : isKnown ? 200 : 404, {
      'x-agents-platform': 'local',
      connection: 'close',
    })
    response.end()
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
