import { ProtocolError } from '../protocol-error.ts'
import { opcodes, unmask } from './frame.ts'

export type FramePart =
  /** A piece of a message, in order. Messages of any size pass through without being collected. */
  | {
      readonly kind: 'data'
      readonly bytes: Buffer
      readonly isFirst: boolean
      readonly isLast: boolean
    }
  | { readonly kind: 'control'; readonly opcode: number; readonly bytes: Buffer }

interface Header {
  readonly isFinal: boolean
  readonly opcode: number
  readonly key: Buffer | undefined
  readonly length: number
  /** Bytes of the payload that were read. */
  read: number
}

const longestControl = 125

/** Splits the bytes of a WebSocket into parts of messages. Holds back at most one header or one control frame. */
export class FrameReader {
  readonly #expectsMask: boolean
  #held: Buffer = Buffer.alloc(0)
  #header: Header | undefined
  #isInMessage = false

  constructor({ expectsMask }: { readonly expectsMask: boolean }) {
    this.#expectsMask = expectsMask
  }

  /** Throws a ProtocolError; the connection must then be closed. */
  *read(chunk: Buffer): Generator<FramePart> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    for (;;) {
      if (this.#header === undefined) {
        this.#header = this.#readHeader(rest)
        if (this.#header === undefined) break
        rest = rest.subarray(headerSize(rest))
      }
      const header = this.#header
      const isControl = header.opcode >= opcodes.close
      if (isControl && rest.length < header.length) break
      const bytes = Buffer.from(rest.subarray(0, header.length - header.read))
      if (bytes.length === 0 && header.length > 0) break
      rest = rest.subarray(bytes.length)
      if (header.key !== undefined) unmask(bytes, header.key, header.read)
      const isFirst = header.opcode !== opcodes.continuation && header.read === 0
      header.read += bytes.length
      const isOver = header.read === header.length
      if (isOver) this.#header = undefined
      if (isControl) yield { kind: 'control', opcode: header.opcode, bytes }
      else {
        const isLast = isOver && header.isFinal
        this.#isInMessage = !isLast
        yield { kind: 'data', bytes, isFirst, isLast }
      }
    }
    this.#held = Buffer.from(rest)
  }

  #readHeader(bytes: Buffer): Header | undefined {
    if (bytes.length < 2) return undefined
    const [first = 0, second = 0] = bytes
    const opcode = first & 0x0f
    const isFinal = (first & 0x80) !== 0
    const isMasked = (second & 0x80) !== 0
    const isControl = opcode >= opcodes.close
    if ((first & 0x70) !== 0) throw new ProtocolError('reserved bits are set in a WebSocket frame')
    if (opcode > opcodes.pong || (opcode > opcodes.binary && !isControl)) {
      throw new ProtocolError(`unknown opcode ${opcode} of a WebSocket frame`)
    }
    if (isMasked !== this.#expectsMask) throw new ProtocolError('wrong mask of a WebSocket frame')
    if (isControl && (!isFinal || (second & 0x7f) > longestControl)) {
      throw new ProtocolError('control frame of a WebSocket is too long')
    }
    if (!isControl && (opcode === opcodes.continuation) !== this.#isInMessage) {
      throw new ProtocolError('unexpected continuation of a WebSocket message')
    }
    const size = headerSize(bytes)
    if (bytes.length < size) return undefined
    const length = payloadLength(bytes)
    const key = isMasked ? Buffer.from(bytes.subarray(size - 4, size)) : undefined
    return { isFinal, opcode, key, length, read: 0 }
  }
}

function headerSize(bytes: Buffer): number {
  const second = bytes[1] ?? 0
  const short = second & 0x7f
  return 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + ((second & 0x80) !== 0 ? 4 : 0)
}

function payloadLength(bytes: Buffer): number {
  const short = (bytes[1] ?? 0) & 0x7f
  if (short < 126) return short
  if (short === 126) return bytes.readUInt16BE(2)
  const length = bytes.readBigUInt64BE(2)
  if (length > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ProtocolError('length of a WebSocket frame is out of range')
  }
  return Number(length)
}
