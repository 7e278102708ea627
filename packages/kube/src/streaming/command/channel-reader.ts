import { ProtocolError } from '../protocol-error.ts'
import type { MessagePart } from '../websocket/web-socket.ts'
import { channels } from './channels.ts'

type Receive = (bytes: Buffer, isEnd: boolean) => void | Promise<void>

/** Distributes the parts of messages to the channels that their first byte names. */
export class ChannelReader {
  readonly #hasClose: boolean
  readonly #receivers: Readonly<Record<number, Receive>>
  #channel: number | undefined

  constructor(hasClose: boolean, receivers: Readonly<Record<number, Receive>>) {
    this.#hasClose = hasClose
    this.#receivers = receivers
  }

  async read({ bytes, isFirst }: MessagePart): Promise<void> {
    if (isFirst) this.#channel = undefined
    if (bytes.length === 0) return
    let rest = bytes
    if (this.#channel === undefined) {
      this.#channel = bytes[0] ?? 0
      rest = bytes.subarray(1)
    }
    if (rest.length === 0) return
    if (this.#hasClose && this.#channel === channels.close) {
      if (rest.length !== 1)
        throw new ProtocolError('a channel is closed by a message of two bytes')
      await this.#receivers[rest[0] ?? 0]?.(Buffer.alloc(0), true)
      return
    }
    // Messages for other channels are ignored, like upstream.
    await this.#receivers[this.#channel]?.(rest, false)
  }
}
