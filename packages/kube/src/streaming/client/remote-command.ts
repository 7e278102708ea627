import { type Duplex, PassThrough, type Readable, type Writable } from 'node:stream'
import { ChannelReader } from '../command/channel-reader.ts'
import { ChannelWriter } from '../command/channel-writer.ts'
import { channels } from '../command/channels.ts'
import type { TerminalSize } from '../command/command-streams.ts'
import { WebSocket } from '../websocket/web-socket.ts'

/** How a remote command ended, as the server reports it. */
export interface CommandOutcome {
  readonly isSuccess: boolean
  /** Undefined if the command did not run, or how it ended is unknown. */
  readonly exitCode?: number
  readonly message: string
}

/** A command in a container, or the process of a container. */
export interface RemoteCommand {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  resize(size: TerminalSize): void
  readonly ended: Promise<CommandOutcome>
  /** Disconnects, which ends a command. */
  close(): void
}

const longestStatus = 256 * 1024

/** The client's side of a remote command over a WebSocket, version 5 of the protocol. */
export function openRemoteCommand(connection: Duplex): RemoteCommand {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  let status = ''
  const reader = new ChannelReader(true, {
    [channels.stdout]: (bytes) => pass(stdout, bytes),
    [channels.stderr]: (bytes) => pass(stderr, bytes),
    [channels.error]: (bytes) => {
      if (status.length < longestStatus) status += bytes.toString('utf8')
    },
  })
  const socket = new WebSocket(connection, { role: 'client', onPart: (part) => reader.read(part) })
  const stdin = new ChannelWriter(socket, channels.stdin)
  stdin.once('finish', () => void socket.send(Buffer.from([channels.close, channels.stdin])))
  return {
    ...{ stdin, stdout, stderr },
    resize: ({ width, height }) => {
      const size = Buffer.from(JSON.stringify({ Width: width, Height: height }))
      void socket.send(Buffer.concat([Buffer.from([channels.resize]), size]))
    },
    ended: socket.closed.then(() => {
      stdout.end()
      stderr.end()
      return outcomeOf(status)
    }),
    close: () => socket.end(),
  }
}

function pass(stream: PassThrough, bytes: Buffer): Promise<void> | undefined {
  if (stream.destroyed || stream.write(bytes)) return undefined
  return new Promise((resolve) => {
    stream.once('drain', resolve)
    stream.once('close', resolve)
  })
}

function outcomeOf(text: string): CommandOutcome {
  try {
    const status = JSON.parse(text) as {
      status?: string
      message?: string
      details?: { causes?: { reason?: string; message?: string }[] }
    }
    if (status.status === 'Success') return { isSuccess: true, exitCode: 0, message: '' }
    const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')
    const exitCode = Number(cause?.message)
    const message = status.message ?? 'the command failed'
    return { isSuccess: false, message, ...(Number.isInteger(exitCode) && { exitCode }) }
  } catch {
    return { isSuccess: false, message: 'the connection was closed before the command had ended' }
  }
}
