import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Json } from '@agents/crd'
import { type WatchStream, watchStream } from './watch-stream.ts'

/** The address of a server and its certificate authority. */
interface Connection {
  readonly url: string
  readonly caPem: string
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface SendOptions {
  /** Content type of the request body. Default JSON. */
  readonly type?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Null sends no token. Default: the administrator's. */
  readonly token?: string | null
}

export interface Answer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed text; undefined if it is not JSON. */
  readonly body: Json | undefined
}

export type Fields = { [key: string]: Json }

/** A body is sent as JSON, unless it is text or bytes. */
export type Body = Json | Uint8Array | undefined

export interface Client {
  send(method: Method, path: string, body?: Body, options?: SendOptions): Promise<Answer>
  get(path: string, options?: SendOptions): Promise<Answer>
  /** Resolves when the server has answered with headers. */
  watch(path: string, options?: SendOptions): Promise<WatchStream>
  close(): void
}

/** Has no knowledge of Kubernetes, so that it cannot hide anything. */
export function connect({ url, caPem }: Connection, adminToken: string): Client {
  const agent = new Agent({ keepAlive: true, ca: caPem })
  const open = (
    method: Method,
    path: string,
    body: Body,
    options: SendOptions,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const bytes = encodeBody(body)
      const headers = requestHeaders(bytes, options, adminToken)
      const sent = request(`${url}${path}`, { agent, method, headers }, resolve)
      sent.on('error', reject)
      sent.end(bytes)
    })
  const send: Client['send'] = async (method, path, body, options = {}) => {
    const response = await open(method, path, body, options)
    const received = await text(response)
    return {
      code: response.statusCode ?? 0,
      headers: response.headers,
      text: received,
      body: parseOrUndefined(received),
    }
  }
  return {
    send,
    get: (path, options) => send('GET', path, undefined, options),
    watch: async (path, options = {}) => watchStream(await open('GET', path, undefined, options)),
    close: () => agent.destroy(),
  }
}

function requestHeaders(
  body: Uint8Array | undefined,
  { type = 'application/json', accept = 'application/json', headers, token }: SendOptions,
  adminToken: string,
): Record<string, string> {
  const bearer = token === undefined ? adminToken : token
  return {
    accept,
    'user-agent': 'conformance/1.0',
    ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    ...(body !== undefined && type !== '' && { 'content-type': type }),
    // Node frames the body of a DELETE only if its length is set.
    ...(body !== undefined && { 'content-length': `${body.byteLength}` }),
    ...headers,
  }
}

function encodeBody(body: Body): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function parseOrUndefined(received: string): Json | undefined {
  try {
    return JSON.parse(received) as Json
  } catch {
    return undefined
  }
}
