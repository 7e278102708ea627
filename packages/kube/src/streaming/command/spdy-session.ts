import type { Duplex, Readable } from 'node:stream'
import { endFlushed } from '../drain.ts'
import { SpdyConnection } from '../spdy/spdy-connection.ts'
import type { SpdyStream } from '../spdy/spdy-stream.ts'
import type { CommandSession } from './command-session.ts'
import type { StreamChoice } from './command-streams.ts'
import { ResizeReader } from './resize-reader.ts'

/** Versions that are spoken over SPDY, most preferred first. */
export const spdyCommandProtocols = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
]

/** How long a client may take to open its streams. */
const creationMs = 30_000

/**
 * A remote command over SPDY, from the server's side. Resolves when the client has opened all streams that it
 * requested; undefined if it did not do so in time.
 */
export async function openSpdySession(
  connection: Duplex,
  protocol: string,
  choice: StreamChoice,
): Promise<CommandSession | undefined> {
  const hasResize = choice.tty && /^v[34]\./.test(protocol)
  const wanted = wantedStreams(choice, hasResize)
  const found = new Map<string, SpdyStream>()
  const complete = Promise.withResolvers<boolean>()
  const spdy = new SpdyConnection(connection, {
    mostStreams: wanted.size,
    onStream: (stream) => {
      const type = stream.headers.get('streamtype') ?? ''
      if (!wanted.has(type) || found.has(type)) throw new Error(`unexpected stream ${type}`)
      found.set(type, stream)
      if (found.size === wanted.size) complete.resolve(true)
    },
  })
  const gone = new AbortController()
  void spdy.closed.then(() => {
    gone.abort()
    complete.resolve(false)
  })
  const late = setTimeout(() => complete.resolve(false), creationMs)
  const isComplete = await complete.promise
  clearTimeout(late)
  if (!isComplete) {
    spdy.end()
    return undefined
  }
  const [stdin, stdout, stderr, error] = ['stdin', 'stdout', 'stderr', 'error'].map((type) =>
    found.get(type),
  )
  // What clients send on streams that only we write to is discarded.
  for (const stream of [stdout, stderr, error]) stream?.resume()
  const resizes = new ResizeReader()
  const resizeStream = found.get('resize')
  resizeStream?.on('data', (bytes: Buffer) => {
    try {
      resizes.read(bytes)
    } catch {
      resizeStream.destroy()
    }
  })
  return {
    streams: {
      ...{ stdin: stdin as Readable | undefined, stdout, stderr },
      ...{ tty: choice.tty, signal: gone.signal },
      onResize: (resize) => resizes.onResize(resize),
    },
    finish: async (status) => {
      await Promise.all([stdout, stderr].map((stream) => endFlushed(stream, gone.signal)))
      const isSuccess = status.status === 'Success'
      if (protocol.startsWith('v4.')) error?.write(JSON.stringify(status))
      else if (!isSuccess) error?.write(status.message ?? '')
      await endFlushed(error, gone.signal)
      spdy.end()
    },
  }
}

function wantedStreams({ stdin, stdout, stderr, tty }: StreamChoice, hasResize: boolean) {
  return new Set([
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    ...(hasResize ? ['resize'] : []),
  ])
}
