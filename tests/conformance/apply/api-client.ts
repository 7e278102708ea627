import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'

export interface Answer {
  readonly code: number
  /** The object, or a Status for an error code. */
  readonly body: KubeObject & { message?: string; details?: { causes?: Cause[] } }
}

export interface Cause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly contentType?: string
  readonly body?: Json
}

export interface ApiClient {
  send(request: ApiRequest): Promise<Answer>
  close(): void
}

/** One connection to a cluster, with the administrator's token. */
export function apiClient(cluster: {
  readonly url: string
  readonly caPem: string
  readonly adminToken: string
}): ApiClient {
  const agent = new Agent({ keepAlive: true, ca: cluster.caPem })
  const send = ({ method, path, contentType, body }: ApiRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${cluster.adminToken}`,
        'content-type': contentType ?? 'application/json',
      }
      const sent = request(new URL(path, cluster.url), { agent, method, headers }, (response) => {
        const code = response.statusCode ?? 0
        text(response).then((answer) => resolve({ code, body: bodyOf(answer) }), reject)
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { send, close: () => agent.destroy() }
}

// A path that is not served yet is answered in plain text.
function bodyOf(answer: string): Answer['body'] {
  return (answer.startsWith('{') ? JSON.parse(answer) : { message: answer }) as Answer['body']
}
