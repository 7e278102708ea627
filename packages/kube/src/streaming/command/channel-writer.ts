import { Writable } from 'node:stream'
import type { WebSocket } from '../websocket/web-socket.ts'

/** Writes each chunk as a message of a numbered channel, and waits while the client reads slowly. */
export class ChannelWriter extends Writable {
  readonly #socket: WebSocket
  readonly #channel: number

  constructor(socket: WebSocket, channel: number) {
    super({ decodeStrings: true })
    this.#socket = socket
    this.#channel = channel
    this.on('error', () => undefined)
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const message = Buffer.concat([Buffer.from([this.#channel]), chunk])
    // Whether the client has disconnected is the signal's to report.
    void this.#socket.send(message).then(() => done())
  }
}
