import { Duplex } from 'node:stream'
import { WebSocket } from '../websocket/web-socket.ts'

/** A connection whose bytes travel in the binary messages of a WebSocket. */
export class WebSocketTunnel extends Duplex {
  readonly #socket: WebSocket
  #waiting: (() => void) | undefined

  constructor(connection: Duplex) {
    super({ allowHalfOpen: false })
    this.#socket = new WebSocket(connection, {
      role: 'server',
      onPart: ({ bytes }) => {
        if (this.destroyed || bytes.length === 0 || this.push(bytes)) return undefined
        return new Promise((resolve) => {
          this.#waiting = resolve
        })
      },
    })
    void this.#socket.closed.then(() => this.destroy())
    this.once('close', () => this.#resume())
  }

  #resume(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }

  override _read(): void {
    this.#resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    void this.#socket.send(chunk).then(() => done())
  }

  override _final(done: (error?: Error) => void): void {
    this.#socket.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.end()
    done(error)
  }
}
