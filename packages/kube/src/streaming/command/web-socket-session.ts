import type { Duplex } from 'node:stream'
import { PassThrough } from 'node:stream'
import { endFlushed } from '../drain.ts'
import { WebSocket } from '../websocket/web-socket.ts'
import { ChannelReader } from './channel-reader.ts'
import { ChannelWriter } from './channel-writer.ts'
import { channels } from './channels.ts'
import type { CommandSession } from './command-session.ts'
import type { CommandStatus } from './command-status.ts'
import type { StreamChoice } from './command-streams.ts'
import { ResizeReader } from './resize-reader.ts'

/** A remote command over a WebSocket, from the server's side. */
export function openWebSocketSession(
  connection: Duplex,
  protocol: string,
  choice: StreamChoice,
): CommandSession {
  const stdin = choice.stdin ? new PassThrough() : undefined
  stdin?.on('error', () => undefined)
  const resizes = new ResizeReader()
  const gone = new AbortController()
  const input = new ChannelReader(protocol.startsWith('v5.'), {
    [channels.stdin]: (bytes, isEnd) => {
      if (stdin === undefined || stdin.writableEnded || stdin.destroyed) return undefined
      if (isEnd) stdin.end()
      else if (!stdin.write(bytes)) return untilDrained(stdin)
      return undefined
    },
    [channels.resize]: (bytes) => resizes.read(bytes),
  })
  const socket = new WebSocket(connection, { role: 'server', onPart: (part) => input.read(part) })
  void socket.closed.then(() => {
    gone.abort()
    stdin?.destroy()
  })
  const error = new ChannelWriter(socket, channels.error)
  const stdout = choice.stdout ? new ChannelWriter(socket, channels.stdout) : undefined
  const stderr =
    choice.stderr && !choice.tty ? new ChannelWriter(socket, channels.stderr) : undefined
  // Tells the client that the connection is established.
  ;(stdout ?? stderr ?? error).write(Buffer.alloc(0))
  return {
    streams: {
      ...{ stdin, stdout, stderr, tty: choice.tty, signal: gone.signal },
      onResize: (resize) => resizes.onResize(resize),
    },
    finish: async (status) => {
      await Promise.all([stdout, stderr].map((stream) => endFlushed(stream, gone.signal)))
      const text = statusText(protocol, status)
      if (text !== '') error.write(text)
      await endFlushed(error, gone.signal)
      socket.end()
      stdin?.destroy()
    },
  }
}

/** Before version 4, the error channel has a message, and nothing after a success. */
function statusText(protocol: string, status: CommandStatus): string {
  if (/^v[45]\./.test(protocol)) return JSON.stringify(status)
  return status.status === 'Success' ? '' : (status.message ?? '')
}

function untilDrained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    stream.once('drain', resolve)
    stream.once('close', resolve)
  })
}
