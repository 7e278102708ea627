import type { PlatformHealth } from './platform-health.ts'
import type { PlatformRecord } from './platform-record.ts'

// Importing it would load WebSocket and fetch as well, which no start should wait for.
const { request } = process.getBuiltinModule('node:http')

/** `gone`: nothing listens, or another process does. `silent`: the connection is accepted, but there is no answer. */
type PlatformAnswer = 'answered' | 'gone' | 'silent'

const defaultTimeoutMs = 3000

/** Sends a request to the platform that wrote the record. Another process at its port does not know the token. */
export function queryPlatform(
  { controlPort, token }: PlatformRecord,
  what: 'identity' | 'stop',
  patienceMs: number = defaultTimeoutMs,
): Promise<PlatformAnswer> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: controlPort,
        method: what === 'stop' ? 'POST' : 'GET',
        path: `/${what}`,
        headers: { authorization: `Bearer ${token}` },
        timeout: patienceMs,
      },
      (answer) => {
        answer.resume()
        resolve(
          answer.statusCode === 200 && answer.headers['x-agents-platform'] === 'local'
            ? 'answered'
            : 'gone',
        )
      },
    )
    outgoing.on('timeout', () => {
      resolve('silent')
      outgoing.destroy()
    })
    outgoing.on('error', () => resolve('gone'))
    outgoing.end()
  })
}

/** The health of the platform that wrote the record; undefined if it does not answer. */
export function platformHealth({
  controlPort,
  token,
}: PlatformRecord): Promise<PlatformHealth | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port: controlPort, path: '/health', timeout: defaultTimeoutMs },
        headers: { authorization: `Bearer ${token}` },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', () => resolve(undefined))
        answer.on('end', () => resolve(readHealth(answer.statusCode, Buffer.concat(chunks))))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(undefined))
    outgoing.on('close', () => resolve(undefined))
    outgoing.end()
  })
}

function readHealth(status: number | undefined, body: Buffer): PlatformHealth | undefined {
  if (status !== 200) return undefined
  try {
    return JSON.parse(body.toString('utf8')) as PlatformHealth
  } catch {
    return undefined
  }
}
