import {
  flag,
  optional,
  type ReadBy,
  type Reader,
  readJsonDocument,
  record,
  text,
  wholeNumber,
} from '../../reader/reader.ts'

/**
 * What the agent's container and `publish` say to each other over the socket. The runner connects before its program
 * starts, so that its death is an end of the stream. When the program has succeeded it sends one submission: a header,
 * then a pack of so many bytes. `publish` answers with one reply. A header and a reply are JSON behind their length in
 * four bytes.
 */
const submission = record({
  /** The commit that the work ended at. */
  commit: text,
  /** Of the pack with what the fetched repository lacks; 0 if it lacks nothing. */
  packBytes: wholeNumber(0, 2 ** 40),
})

const reply = record({
  pushed: flag,
  branch: optional(text),
  /** One of the runner's reasons, if the work could not be published. */
  reason: optional(text),
  message: optional(text),
})

type Submission = ReadBy<typeof submission>
export type Reply = ReadBy<typeof reply>

/** In bytes. */
const longestFrameBytes = 64 * 1024
const lengthBytes = 4

export function frame(message: Submission | Reply): Buffer {
  const body = Buffer.from(JSON.stringify(message))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

/** Reads frames and plain bytes from one stream, in order. The other side is not trusted. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Undefined if the stream ends before the first byte of it. */
  submission(): Promise<Submission | undefined> {
    return this.#frame(submission)
  }

  reply(): Promise<Reply | undefined> {
    return this.#frame(reply)
  }

  /** Exactly so many bytes, piece by piece. */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    let left = count
    while (left > 0) {
      const piece = this.#held.length > 0 ? this.#held : await this.#next()
      if (piece === undefined) throw new ProtocolError(`the stream ended ${left} bytes early`)
      const taken = piece.subarray(0, left)
      this.#held = piece.subarray(taken.length)
      left -= taken.length
      yield taken
    }
  }

  async #frame<T>(reader: Reader<T>): Promise<T | undefined> {
    const length = await this.#exactly(lengthBytes)
    if (length === undefined) return undefined
    const size = length.readUInt32BE()
    if (size > longestFrameBytes) throw new ProtocolError(`a message of ${size} bytes is too long`)
    const body = await this.#exactly(size)
    if (body === undefined) throw new ProtocolError('the stream ended inside a message')
    const read = readJsonDocument(reader, body.toString('utf8'))
    if (!read.ok) throw new ProtocolError('a message is not valid')
    return read.value
  }

  async #exactly(count: number): Promise<Buffer | undefined> {
    while (this.#held.length < count) {
      const piece = await this.#next()
      if (piece === undefined) {
        if (this.#held.length === 0) return undefined
        throw new ProtocolError('the stream ended inside a message')
      }
      this.#held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece])
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  async #next(): Promise<Buffer | undefined> {
    const { value, done } = await this.#chunks.next()
    return done === true ? undefined : value
  }
}
