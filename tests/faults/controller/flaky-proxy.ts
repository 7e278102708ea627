import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Connection } from '@agents/kube'

interface FlakyProxy {
  /** Connects through the proxy as the same user. */
  readonly connection: Connection
  readonly faults: () => number
  stop(): Promise<void>
}

type Fault = 'refuse' | 'busy' | 'lose the request' | 'lose the answer' | 'cut the answer'

const faults: readonly Fault[] = [
  'refuse',
  'busy',
  'lose the request',
  'lose the answer',
  'cut the answer',
]

/** A proxy between client and server that breaks a share of the requests, each in one of five ways. */
export async function startFlakyProxy(
  to: Connection,
  share: number,
  random: () => number,
): Promise<FlakyProxy> {
  const agent = new Agent({ keepAlive: true, ca: await to.tls?.authority?.() })
  let count = 0
  const server = createServer((incoming, outgoing) => {
    const isSpoiled = random() < share
    const fault = isSpoiled ? faults[Math.floor(random() * faults.length)] : undefined
    if (fault !== undefined) count += 1
    handle(to.server, agent, incoming, outgoing, fault, random() * 200)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { tls: _tls, ...rest } = to
  return {
    connection: { ...rest, server: `http://127.0.0.1:${port}` },
    faults: () => count,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      agent.destroy()
    },
  }
}

function handle(
  to: string,
  agent: Agent,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
  cutAfterMs: number,
): void {
  if (fault === 'refuse' || fault === 'busy') {
    incoming.resume()
    outgoing.writeHead(fault === 'busy' ? 429 : 500, fault === 'busy' ? { 'retry-after': '0' } : {})
    outgoing.end('no')
    return
  }
  if (fault === 'lose the request') {
    incoming.socket.destroy()
    return
  }
  const { method, url = '/', headers } = incoming
  const forwarded = request(new URL(url, to), { agent, method, headers }, (answer) => {
    if (fault === 'lose the answer') {
      answer.resume()
      answer.on('end', () => incoming.socket.destroy())
      // A watch does not end by itself.
      setTimeout(() => incoming.socket.destroy(), 50).unref()
      return
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    // A watch may send no event for a long time after it was opened.
    outgoing.flushHeaders()
    answer.pipe(outgoing)
    if (fault === 'cut the answer') {
      answer.once('data', () => setTimeout(() => incoming.socket.destroy(), cutAfterMs))
    }
  })
  forwarded.on('error', () => incoming.socket.destroy())
  outgoing.on('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
}
