import type { Duplex } from 'node:stream'
import { writeAndWait } from '../drain.ts'
import { endGently } from '../linger.ts'
import { ProtocolError } from '../protocol-error.ts'
import { encodeFrame, opcodes } from './frame.ts'
import { FrameReader } from './frame-reader.ts'

/** A piece of a message that arrived. */
export interface MessagePart {
  readonly bytes: Buffer
  readonly isFirst: boolean
  readonly isLast: boolean
}

interface WebSocketOptions {
  readonly role: 'client' | 'server'
  /** Called in order, each after the promise of the one before. While it waits, nothing more is read. */
  readonly onPart: (part: MessagePart) => void | Promise<void>
}

/** Sent in this interval. A write fails if the peer has vanished, even while its input is not read. */
const pingMs = 15_000

const normalClosure = 1000
const protocolClosure = 1002

/** A WebSocket over an upgraded connection. */
export class WebSocket {
  readonly #socket: Duplex
  readonly #isClient: boolean
  readonly #onPart: WebSocketOptions['onPart']
  readonly #pings: NodeJS.Timeout
  /** Resolves when the connection has closed, for whatever reason. */
  readonly closed: Promise<void>
  #isEnding = false

  constructor(socket: Duplex, { role, onPart }: WebSocketOptions) {
    this.#socket = socket
    this.#isClient = role === 'client'
    this.#onPart = onPart
    this.#pings = setInterval(() => {
      if (!this.#isEnding) this.#write(opcodes.ping, Buffer.alloc(0))
    }, pingMs)
    this.#pings.unref()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearInterval(this.#pings)
      resolve()
    })
    void this.#run()
  }

  /** Sends a binary message. Resolves when more can be sent; to false if the connection has closed. */
  send(bytes: Uint8Array): Promise<boolean> {
    if (this.#isEnding) return Promise.resolve(false)
    return writeAndWait(this.#socket, encodeFrame(opcodes.binary, bytes, this.#isClient))
  }

  /** Closes the connection after everything that was sent. */
  end(code = normalClosure, reason = ''): void {
    if (this.#isEnding) return
    this.#isEnding = true
    const body = Buffer.alloc(2 + Math.min(Buffer.byteLength(reason), 123))
    body.writeUInt16BE(code, 0)
    body.write(reason, 2)
    this.#write(opcodes.close, body)
    endGently(this.#socket)
  }

  #write(opcode: number, payload: Uint8Array): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return false
    return this.#socket.write(encodeFrame(opcode, payload, this.#isClient))
  }

  async #run(): Promise<void> {
    const reader = new FrameReader({ expectsMask: !this.#isClient })
    try {
      // The iterator would destroy the socket when it is left early, before the last bytes are sent.
      const chunks = this.#socket.iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) {
        for (const part of reader.read(chunk as Buffer)) {
          if (part.kind === 'data') {
            if (!this.#isEnding) await this.#onPart(part)
          } else if (part.opcode === opcodes.close) {
            this.end()
          } else if (part.opcode === opcodes.ping && !this.#isEnding) {
            await writeAndWait(this.#socket, encodeFrame(opcodes.pong, part.bytes, this.#isClient))
          }
        }
      }
      this.#socket.destroy()
    } catch (error) {
      if (error instanceof ProtocolError) this.end(protocolClosure, error.message)
      else this.#socket.destroy()
    }
  }
}
