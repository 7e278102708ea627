import { request } from 'node:https'
import { json } from 'node:stream/consumers'

export type JsonGetter = (path: string, accept?: string) => Promise<unknown>

/** Sends a GET request with the administrator's token; any status other than 200 is an error. */
export const jsonGetter =
  (cluster: {
    readonly url: string
    readonly caPem: string
    readonly adminToken: string
  }): JsonGetter =>
  (path, accept = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${cluster.adminToken}`, accept }
      const sent = request(
        new URL(path, cluster.url),
        { ca: cluster.caPem, headers },
        (response) => {
          if (response.statusCode === 200) return void json(response).then(resolve, reject)
          response.resume()
          reject(new Error(`GET ${path} answered ${response.statusCode}`))
        },
      )
      sent.on('error', reject)
      sent.end()
    })
