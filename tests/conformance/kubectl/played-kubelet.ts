import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A private key and its certificate, in PEM format. */
export interface Pair {
  readonly key: string
  readonly certificate: string
}

export interface PlayedKubelet {
  readonly port: number
  stop(): Promise<void>
}

const firstLine = 'first line\n'
/** Printed while a client follows the log, which then stays open silently until the client disconnects. */
const laterLine = 'later line\n'

/**
 * The part of a kubelet that serves logs. Every container has printed its first line; those called `ended` print no
 * more, others print another line for followers. No container has been restarted.
 */
export async function playKubelet({ key, certificate }: Pair): Promise<PlayedKubelet> {
  const server = createServer({ key, cert: certificate }, (request, response) => {
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const logPath = /^\/containerLogs\/[^/]+\/([^/]+)\/([^/]+)$/

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://kubelet')
  const [, pod = '', container = ''] = logPath.exec(url.pathname) ?? []
  if (pod === '') {
    response.writeHead(404).end('not found')
    return
  }
  if (url.searchParams.get('previous') === 'true') {
    const message = `previous terminated container "${container}" in pod "${pod}" not found`
    response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(message)
    return
  }
  response.writeHead(200, { 'content-type': 'text/plain' })
  response.write(firstLine)
  if (url.searchParams.get('follow') !== 'true' || container === 'ended') {
    response.end()
    return
  }
  await sleep(300)
  response.write(laterLine)
}
