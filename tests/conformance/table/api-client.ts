import { request } from 'node:https'
import { json } from 'node:stream/consumers'

export type Call = (method: string, path: string, options?: CallOptions) => Promise<unknown>

interface CallOptions {
  readonly body?: unknown
  readonly accept?: string
  readonly contentType?: string
}

/** Calls the API as its administrator; an unsuccessful answer is an error with the server's message. */
export const apiCaller =
  (server: { readonly url: string; readonly caPem: string; readonly adminToken: string }): Call =>
  (method, path, { body, accept = 'application/json', contentType = 'application/json' } = {}) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${server.adminToken}`,
        accept,
        ...(body === undefined ? {} : { 'content-type': contentType }),
      }
      const sent = request(
        new URL(path, server.url),
        { method, ca: server.caPem, headers },
        (response) => {
          json(response).then((answer) => {
            if ((response.statusCode ?? 500) < 300) resolve(answer)
            else reject(new Error(`${method} ${path}: ${(answer as { message?: string }).message}`))
          }, reject)
        },
      )
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
