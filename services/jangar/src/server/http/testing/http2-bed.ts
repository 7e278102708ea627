import { once } from 'node:events'
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { type Clock, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { startCertificate } from '../../testing/certificate-folders.ts'
import { HttpServer, type HttpServerOptions } from '../http-server.ts'

/** Servers with one certificate for all tests of a file, and clients of HTTP/2. */
export function http2Bed() {
  let certificate: Awaited<ReturnType<typeof startCertificate>>
  beforeAll(async () => {
    certificate = await startCertificate()
  }, 60_000)
  afterAll(() => certificate?.remove())

  async function listen(change: Partial<HttpServerOptions>) {
    const lines: string[] = []
    const server = new HttpServer({
      ...{ host: '127.0.0.1', port: 0, tls: certificate.files, drainMs: 20_000 },
      handler: (_request, response) => response.end('hello'),
      ...{ onStop: () => undefined, onStopped: () => undefined },
      log: createLogger({ sink: { write: (line) => lines.push(line) } }),
      clock: systemClock,
      ...change,
    })
    await server.start()
    const end = new AbortController()
    const running = server.run(end.signal)
    const stopNow = () => end.abort()
    onTestFinished(async () => {
      stopNow()
      await running
    })
    return { port: server.port, lines, stopNow, running }
  }

  function open(port: number, options: object = {}): ClientHttp2Session {
    const session = connect(`https://localhost:${port}`, { ca: certificate.authority, ...options })
    session.on('error', () => undefined)
    onTestFinished(() => session.destroy())
    return session
  }

  /** A connection whose frames the test writes itself. */
  async function openRaw(port: number) {
    const socket = connectTls({
      ...{ host: '127.0.0.1', port, servername: 'localhost', ca: certificate.authority },
      ALPNProtocols: ['h2'],
    })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    socket.write(frame(4, 0, 0))
    return socket
  }

  return { listen, open, openRaw, authority: () => certificate.authority }
}

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  /** Without an end. */
  readonly part?: string
  readonly body?: string
}

export function send(
  session: ClientHttp2Session,
  path: string,
  { headers, part, body }: Sent = {},
) {
  const stream = session.request(
    { ':path': path, ...headers },
    { endStream: part === undefined && body === undefined },
  )
  if (part !== undefined) stream.write(part)
  if (body !== undefined) stream.end(body)
  const answer = new Promise<{ status?: number; text: string; code: number }>((resolve) => {
    const got: { status?: number; text: string } = { text: '' }
    stream.on('response', (given) => {
      got.status = Number(given[':status'])
    })
    stream.on('data', (chunk) => {
      got.text += chunk
    })
    stream.on('error', () => undefined)
    stream.on('close', () => resolve({ ...got, code: stream.rstCode ?? 0 }))
  })
  return { stream, answer }
}

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload = Buffer.alloc(0),
): Buffer {
  const head = Buffer.from([
    0,
    payload.length >> 8,
    payload.length & 255,
    type,
    flags,
    0,
    0,
    0,
    stream,
  ])
  return Buffer.concat([head, payload])
}

/** A clock that a test moves, and that knows when its sweeps have looked at it. */
export function sweptClock() {
  let now = 0
  let looks = 0
  const clock: Clock = {
    ...systemClock,
    elapsed: () => {
      looks += 1
      return now
    },
  }
  /** Moves the clock, and waits until what is over was swept. Other work looks at it too, hence several. */
  async function advance(ms: number): Promise<void> {
    now += ms
    const before = looks
    await expect.poll(() => looks, { interval: 5 }).toBeGreaterThanOrEqual(before + 3)
  }
  return { clock, advance }
}
