import { randomBytes } from 'node:crypto'

/** Opcodes of RFC 6455. */
export const opcodes = {
  continuation: 0,
  text: 1,
  binary: 2,
  close: 8,
  ping: 9,
  pong: 10,
} as const

/** Encodes one frame, which is a whole message. Clients mask their frames, servers do not. */
export function encodeFrame(opcode: number, payload: Uint8Array, isMasked: boolean): Buffer {
  const { length } = payload
  const extra = length < 126 ? 0 : length < 0x10000 ? 2 : 8
  const start = 2 + extra + (isMasked ? 4 : 0)
  const frame = Buffer.allocUnsafe(start + length)
  frame[0] = 0x80 | opcode
  frame[1] = (isMasked ? 0x80 : 0) | (extra === 0 ? length : extra === 2 ? 126 : 127)
  if (extra === 2) frame.writeUInt16BE(length, 2)
  if (extra === 8) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.set(payload, start)
  if (isMasked) {
    const key = randomBytes(4)
    frame.set(key, 2 + extra)
    unmask(frame.subarray(start), key, 0)
  }
  return frame
}

/** Applies the mask in place. `offset` is the position of the first byte in the payload of its frame. */
export function unmask(bytes: Buffer, key: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = (bytes[at] ?? 0) ^ (key[(offset + at) & 3] ?? 0)
  }
}
