import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'

export interface ScriptedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Script = (request: ScriptedRequest, response: ServerResponse) => void | Promise<void>

/** A real HTTP server with scripted responses, which may be invalid. */
export interface ScriptedServer {
  readonly url: string
  readonly port: number
  readonly requests: ScriptedRequest[]
  /** How many connections were accepted. */
  readonly connections: number
  script: Script
  cutAll(): void
  stop(): Promise<void>
}

export async function startScriptedServer(script: Script, port = 0): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined)
    const url = new URL(request.url ?? '/', 'http://localhost')
    const received = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await text(request),
    }
    requests.push(received)
    await handle.script(received, response)
  }
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const bound = (server.address() as AddressInfo).port
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const handle: ScriptedServer = {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    get connections() {
      return connections
    },
    script,
    cutAll,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cutAll()
      }),
  }
  return handle
}

export function answerJson(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export function failure(code: number, reason: string, details: object = {}): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: `${reason} it is`,
    reason,
    code,
    details,
  }
}
