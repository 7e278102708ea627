import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { endFlushed } from '../drain.ts'
import type { ConnectPort } from '../pod-streams.ts'
import { SpdyConnection } from '../spdy/spdy-connection.ts'
import { StreamFailure } from '../stream-failure.ts'
import { negotiateSpdy, spdyHeaders } from '../upgrade/negotiate-spdy.ts'
import { takeOver } from '../upgrade/take-over.ts'
import {
  acceptHeaders,
  handshakeProblem,
  isWebSocketRequest,
  offeredProtocols,
} from '../websocket/handshake.ts'
import { type StreamPair, StreamPairs } from './stream-pairs.ts'
import { WebSocketTunnel } from './tunnel.ts'

const protocol = 'portforward.k8s.io'
const tunnelProtocol = `SPDY/3.1+${protocol}`

/** Two streams per forwarded connection. */
const mostStreams = 512

interface PortForwardRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Names the pod in messages, as in upstream's: `pod …, uid …`. */
  readonly target: string
  /** Checks that the pod can be reached, before the upgrade. */
  readonly prepare: () => Promise<ConnectPort>
}

/** Serves the forwarded connections of one client, until it disconnects. */
export async function servePortForward(one: PortForwardRequest): Promise<void> {
  const { connection, connect } = await upgrade(one)
  const gone = new AbortController()
  const pairs = new StreamPairs((pair) => void forward(one.target, connect, pair, gone.signal))
  const spdy = new SpdyConnection(connection, {
    mostStreams,
    onStream: (stream) => pairs.add(stream),
  })
  await spdy.closed
  gone.abort()
}

async function upgrade({
  request,
  response,
  prepare,
}: PortForwardRequest): Promise<{ connection: Duplex; connect: ConnectPort }> {
  if (!isWebSocketRequest(request.headers)) {
    const chosen = negotiateSpdy(request.headers, [protocol])
    const connect = await prepare()
    return { connect, connection: takeOver(response, spdyHeaders(chosen)) }
  }
  const problem = handshakeProblem(request.headers)
  const offered = offeredProtocols(request.headers)
  if (problem !== undefined || !offered.includes(tunnelProtocol)) {
    throw new StreamFailure(
      400,
      problem ?? `unable to upgrade: the WebSocket protocol must be ${tunnelProtocol}`,
    )
  }
  const connect = await prepare()
  const socket = takeOver(response, acceptHeaders(request.headers, tunnelProtocol))
  return { connect, connection: new WebSocketTunnel(socket) }
}

async function forward(
  target: string,
  connect: ConnectPort,
  { port, data, error }: StreamPair,
  signal: AbortSignal,
): Promise<void> {
  error.resume()
  try {
    const connection = await connect(port, signal)
    await copyBoth(data, connection, signal)
    await endFlushed(error, signal)
  } catch (failure) {
    const { message } = failure instanceof StreamFailure ? failure : { message: 'unexpected error' }
    error.write(`error forwarding port ${port} to ${target}: ${message}`)
    await endFlushed(error, signal)
    data.destroy()
  }
}

/** Copies in both directions. Resolves when the target has closed its side, or the client the connection. */
async function copyBoth(client: Duplex, target: Duplex, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      target.destroy()
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
    target.on('error', () => undefined)
    target.once('close', () => {
      signal.removeEventListener('abort', stop)
      if (!client.writableEnded) client.end()
      resolve()
    })
    client.once('close', stop)
    client.pipe(target)
    target.pipe(client)
  })
}
