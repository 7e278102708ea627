import { ProtocolError } from '../protocol-error.ts'

/** Types of control frames of SPDY/3. */
export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const

/** Reasons of RST_STREAM. */
export const resetReasons = { protocolError: 1, refusedStream: 3, cancel: 5 } as const

export const finFlag = 1

const version = 3
/** Data frames pass through in pieces. Control frames are collected, and therefore limited. */
const longestControl = 64 * 1024
const headerSize = 8

export type SpdyPart =
  | {
      readonly kind: 'control'
      readonly type: number
      readonly flags: number
      readonly payload: Buffer
    }
  | {
      readonly kind: 'data'
      readonly streamId: number
      readonly bytes: Buffer
      /** Whether this is the last piece of a frame after which the stream has no more data. */
      readonly isFin: boolean
    }

interface DataFrame {
  readonly streamId: number
  readonly isFin: boolean
  left: number
}

/** Splits the bytes of a SPDY/3.1 connection into control frames and pieces of data frames. */
export class SpdyReader {
  #held: Buffer = Buffer.alloc(0)
  #data: DataFrame | undefined;

  /** Throws a ProtocolError; the connection must then be closed. */
  *read(chunk: Buffer): Generator<SpdyPart> {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    for (;;) {
      if (this.#data !== undefined) {
        const { streamId, isFin, left } = this.#data
        if (rest.length === 0 && left > 0) break
        const bytes = rest.subarray(0, left)
        rest = rest.subarray(bytes.length)
        this.#data.left -= bytes.length
        const isOver = this.#data.left === 0
        if (isOver) this.#data = undefined
        yield { kind: 'data', streamId, bytes, isFin: isFin && isOver }
        continue
      }
      if (rest.length < headerSize) break
      const flags = rest[4] ?? 0
      const length = rest.readUIntBE(5, 3)
      if (((rest[0] ?? 0) & 0x80) === 0) {
        const streamId = rest.readUInt32BE(0)
        this.#data = { streamId, isFin: (flags & finFlag) !== 0, left: length }
        rest = rest.subarray(headerSize)
        continue
      }
      if ((rest.readUInt16BE(0) & 0x7fff) !== version) {
        throw new ProtocolError('the version of SPDY is not 3')
      }
      if (length > longestControl) throw new ProtocolError('control frame of SPDY is too long')
      if (rest.length < headerSize + length) break
      const payload = rest.subarray(headerSize, headerSize + length)
      const type = rest.readUInt16BE(2)
      rest = rest.subarray(headerSize + length)
      yield { kind: 'control', type, flags, payload }
    }
    this.#held = Buffer.from(rest)
  }
}

export function controlFrame(type: number, flags: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(headerSize)
  header.writeUInt16BE(0x8000 | version, 0)
  header.writeUInt16BE(type, 2)
  header[4] = flags
  header.writeUIntBE(payload.length, 5, 3)
  return Buffer.concat([header, payload])
}

export function dataFrame(streamId: number, bytes: Uint8Array, isFin: boolean): Buffer {
  const frame = Buffer.allocUnsafe(headerSize + bytes.length)
  frame.writeUInt32BE(streamId, 0)
  frame[4] = isFin ? finFlag : 0
  frame.writeUIntBE(bytes.length, 5, 3)
  frame.set(bytes, headerSize)
  return frame
}

/** The payload of frames that consist of 32-bit numbers. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}
