import type { Piece } from './tree.ts'

/** As Git itself writes them: readers of old need not know longer ones. */
const longestCopy = 0x10000
const longestInsert = 127

/**
 * An object as what changed since another: its size before and after, then what to copy of the other and what to
 * insert.
 */
export function deltaOf(before: number, after: number, pieces: readonly Piece[]): Buffer {
  const parts = [sizeBytes(before), sizeBytes(after)]
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) parts.push(...inserts(piece))
    else parts.push(copies(piece.from, piece.to))
  }
  return Buffer.concat(parts)
}

/** Seven bits a byte, lowest first. */
function sizeBytes(size: number): Buffer {
  const bytes: number[] = []
  let left = size
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80)
    left = Math.floor(left / 0x80)
  }
  bytes.push(left)
  return Buffer.from(bytes)
}

function* inserts(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += longestInsert) {
    const part = data.subarray(at, at + longestInsert)
    yield Buffer.from([part.length])
    yield part
  }
}

function copies(from: number, to: number): Buffer {
  const bytes: number[] = []
  for (let at = from; at < to; at += longestCopy) copy(at, Math.min(to - at, longestCopy), bytes)
  return Buffer.from(bytes)
}

/**
 * The first byte marks which of the four offset bytes and two size bytes follow; the others are zero. Without size
 * bytes: 64 KiB.
 */
function copy(offset: number, size: number, bytes: number[]): void {
  const first = bytes.push(0x80) - 1
  let bits = 0x80
  for (let index = 0; index < 6; index += 1) {
    const byte = index < 4 ? (offset >>> (8 * index)) & 0xff : (size >>> (8 * (index - 4))) & 0xff
    if (byte === 0) continue
    bits |= 1 << index
    bytes.push(byte)
  }
  bytes[first] = bits
}
