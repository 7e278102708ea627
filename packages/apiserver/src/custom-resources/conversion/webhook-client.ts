import { Agent, request } from 'node:https'
import type { WebhookAddress } from './service-address.ts'

export interface WebhookClient {
  /** Posts JSON and returns the body of the answer. Throws if the webhook does not answer in time with a 200. */
  post(body: Buffer): Promise<string>
}

const timeoutMs = 30_000
/** An answer may be larger than its request by this much, and twice as large. */
const extraBytes = 3 * 1024 * 1024

/**
 * A client of one webhook. It verifies the server's certificate by `caBundle`, or by the system's authorities if that
 * is empty, follows no redirects, and sends no credentials.
 */
export function createWebhookClient(
  addressOf: () => WebhookAddress,
  caBundle: string | undefined,
): WebhookClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, timeout: 2 * timeoutMs })
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const { url, host, port, serverName } = addressOf()
        const fail = (error: Error): void => {
          const why = error.name === 'AbortError' ? 'context deadline exceeded' : error.message
          reject(new Error(`Post "${url}?timeout=30s": ${why}`, { cause: error }))
        }
        const sent = request(
          {
            agent,
            host,
            port,
            servername: serverName,
            path: `${new URL(url).pathname}?timeout=30s`,
            method: 'POST',
            ...(caBundle === undefined ? {} : { ca: caBundle }),
            // The name in the certificate is that of the Service, whatever address it has.
            headers: {
              host: new URL(url).host,
              accept: 'application/json',
              'content-type': 'application/json',
              'content-length': body.length,
              'user-agent': 'kube-apiserver-admission',
            },
            signal: AbortSignal.timeout(timeoutMs),
          },
          (response) => {
            const chunks: Buffer[] = []
            let size = 0
            response.on('data', (chunk: Buffer) => {
              size += chunk.length
              if (size > 2 * body.length + extraBytes) {
                response.destroy(new Error('the answer of the webhook is too large'))
              } else chunks.push(chunk)
            })
            response.on('error', fail)
            response.on('end', () => {
              const { statusCode = 0 } = response
              if (statusCode === 200) resolve(Buffer.concat(chunks).toString())
              else fail(new Error(`the server answered with status ${statusCode}`))
            })
          },
        )
        sent.on('error', fail)
        sent.end(body)
      }),
  }
}
