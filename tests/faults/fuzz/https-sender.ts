import { Agent, request } from 'node:https'
import type { EmbeddedServer } from '../../support/testbed/embedded-server.ts'

interface Sent {
  readonly body?: Buffer
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** If omitted, the administrator's token; if empty, no credentials are sent. */
  readonly token?: string
}

export interface HttpsSender {
  send(method: string, target: string, sent?: Sent): Promise<{ code: number; text: string }>
  close(): void
}

/** Sends requests exactly as written, without a client library that would reject or normalise them. */
export function createHttpsSender(server: EmbeddedServer): HttpsSender {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(server.url)
  return {
    send: (method, path, { body, type = 'application/json', headers, token } = {}) =>
      new Promise((resolve, reject) => {
        const bearer = token ?? server.adminToken
        const sent = request(
          {
            ...{ agent, hostname, port, path, method, ca: server.caPem },
            headers: {
              ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }),
              ...(body === undefined
                ? {}
                : { 'content-type': type, 'content-length': body.length }),
              ...headers,
            },
          },
          (answer) => {
            let text = ''
            answer.setEncoding('utf8')
            answer.on('data', (chunk: string) => {
              text += chunk
            })
            answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text }))
          },
        )
        sent.on('error', reject)
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}
