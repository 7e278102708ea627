import { Duplex } from 'node:stream'
import type { SpdyHeaders } from './header-block.ts'

/** How a stream sends its frames. */
export interface StreamOutput {
  send(bytes: Uint8Array, isFin: boolean): Promise<boolean>
  reset(): void
  forget(): void
}

/** Unread bytes of one stream, above which nothing more is read from its connection. */
const mostUnread = 256 * 1024
/** Data frames are at most this long, so that streams of a connection take turns. */
const longestFrame = 32 * 1024

/** One stream of a SPDY connection. */
export class SpdyStream extends Duplex {
  readonly id: number
  readonly headers: SpdyHeaders
  readonly #output: StreamOutput
  #isOver = false
  #waiting: (() => void) | undefined

  constructor(id: number, headers: SpdyHeaders, output: StreamOutput) {
    super({ allowHalfOpen: true, autoDestroy: true, readableHighWaterMark: mostUnread })
    this.id = id
    this.headers = headers
    this.#output = output
    this.on('error', () => undefined)
    this.once('close', () => {
      this.#waiting?.()
      output.forget()
    })
  }

  /** Passes on received bytes. Resolves when the reader has room for more. */
  deliver(bytes: Buffer, isFin: boolean): Promise<void> | undefined {
    if (this.#isOver || this.destroyed) return undefined
    const hasRoom = bytes.length === 0 || this.push(bytes)
    if (isFin) {
      this.#isOver = true
      this.push(null)
      return undefined
    }
    if (hasRoom) return undefined
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  /** Ends the stream because its connection or the peer ended it, without a frame of our own. */
  abort(): void {
    this.#isOver = true
    this.destroy()
  }

  override _read(): void {
    this.#waiting?.()
    this.#waiting = undefined
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    void this.#sendAll(chunk).then(() => done())
  }

  async #sendAll(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += longestFrame) {
      if (!(await this.#output.send(chunk.subarray(at, at + longestFrame), false))) return
    }
  }

  override _final(done: (error?: Error) => void): void {
    void this.#output.send(Buffer.alloc(0), true).then(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#isOver || !this.writableFinished) this.#output.reset()
    done(error)
  }
}
