import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/** Where a watch sends its events. */
export interface WatchSink {
  /** Emits `drain` when the client has caught up. */
  readonly stream: Writable
  /** Whether the bytes of `frame` are the same for all clients of this kind. */
  readonly isShared: boolean
  /** Encodes an event, which is a line of JSON. The result is to be sent at once: the encoding may change later. */
  frame(line: Buffer): Buffer
  send(frame: Buffer): void
  /** Bytes that the client has not read. */
  unread(): number
  /** Ends cleanly, so that the client continues from its last event. */
  end(): void
  destroy(): void
  onClose(listener: () => void): void
}

/** Sends events as lines of a response. */
export function responseSink(response: ServerResponse): WatchSink {
  // A response has no socket while an earlier one on the same connection is being finished. What is written meanwhile
  // is encoded by the response itself.
  const direct = (): Socket | null => (response.chunkedEncoding ? response.socket : null)
  let isGathering = false
  const gather = (socket: Socket): void => {
    if (isGathering) return
    isGathering = true
    socket.cork()
    process.nextTick(() => {
      isGathering = false
      socket.uncork()
    })
  }
  return {
    get stream() {
      return direct() ?? response
    },
    get isShared() {
      return direct() !== null
    },
    frame: (line) => (direct() === null ? line : chunk(line)),
    send: (frame) => {
      const socket = direct()
      if (socket === null) {
        response.write(frame)
        return
      }
      // Written to the socket directly: the same bytes for all watchers, and one write instead of three. All events of
      // a commit are sent in one piece.
      gather(socket)
      socket.write(frame)
    },
    unread: () => response.writableLength + (response.socket?.writableLength ?? 0),
    end: () => response.end(),
    destroy: () => response.destroy(),
    onClose: (listener) => {
      response.once('close', listener)
      response.once('error', listener)
    },
  }
}

/** Encodes a chunk of HTTP's chunked encoding. */
function chunk(line: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${line.length.toString(16)}\r\n`), line, lineEnd])
}

const lineEnd = Buffer.from('\r\n')
