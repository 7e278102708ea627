import type { PlatformRecord } from './platform-record.ts'

// Importing it would load WebSocket and fetch as well, which no start should wait for.
const { request } = process.getBuiltinModule('node:http')

/** `gone`: nobody is there, or somebody else. `silent`: something is there and says nothing. */
export type PlatformAnswer = 'answered' | 'gone' | 'silent'

const defaultPatienceMs = 3000

/** Talks to the platform that wrote the record, and to no other: only that one knows the token. */
export function askPlatform(
  { controlPort, token }: PlatformRecord,
  what: 'identity' | 'stop',
  patienceMs: number = defaultPatienceMs,
): Promise<PlatformAnswer> {
  return new Promise((resolve) => {
    const asked = request(
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
    asked.on('timeout', () => {
      resolve('silent')
      asked.destroy()
    })
    asked.on('error', () => resolve('gone'))
    asked.end()
  })
}
