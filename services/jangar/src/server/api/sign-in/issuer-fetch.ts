import { readFile } from 'node:fs/promises'
import { request } from 'node:https'

/** The provider cannot be reached, or breaks off. */
export class IssuerUnreachable extends Error {
  override name = 'IssuerUnreachable'
}

type Fetch = (url: string, options: FetchOptions) => Promise<Response>

interface FetchOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

const longestMs = 10_000
const largestBody = 1024 * 1024

/**
 * Requests to the provider. Trusts the authorities in the file, which is read for each request, or those of the
 * system. Does not follow redirects: a secret in a request is for its address.
 */
export function issuerFetch(caFile: string | undefined): Fetch {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8')
    const limit = AbortSignal.timeout(longestMs)
    const whole = signal == null ? limit : AbortSignal.any([signal, limit])
    return await new Promise<Response>((resolve, reject) => {
      const fail = (cause: unknown): void =>
        reject(new IssuerUnreachable(`${method} ${url.split('?')[0]} failed`, { cause }))
      const sent = request(
        url,
        { method, headers, agent: false, signal: whole, ...(ca !== undefined && { ca }) },
        (answer) => {
          const chunks: Buffer[] = []
          let size = 0
          answer.on('error', fail)
          answer.on('data', (chunk: Buffer) => {
            size += chunk.length
            if (size > largestBody) answer.destroy(new Error('the answer is too large'))
            else chunks.push(chunk)
          })
          answer.on('end', () => {
            const status = answer.statusCode ?? 0
            // Others cannot be a Response.
            if (status < 200 || status > 599) return fail(new Error(`status ${status}`))
            const type = answer.headers['content-type']
            const hasBody = status !== 204 && status !== 304
            resolve(
              new Response(hasBody ? Buffer.concat(chunks) : null, {
                status,
                headers: type === undefined ? {} : { 'content-type': type },
              }),
            )
          })
        },
      )
      sent.on('error', fail)
      sent.end(body == null ? undefined : String(body))
    })
  }
}
