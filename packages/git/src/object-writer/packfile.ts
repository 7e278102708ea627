import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, crc32, deflate, deflateSync, type ZlibOptions } from 'node:zlib'
import type { NewObject, ObjectType } from './git-object.ts'

/** Where an object is in a pack, and the checksum of its bytes there. */
export interface PackEntry {
  readonly oid: string
  readonly offset: number
  readonly crc: number
}

/** How hard a pack's objects are compressed. */
export const compression = {
  none: constants.Z_NO_COMPRESSION,
  fast: constants.Z_BEST_SPEED,
} as const

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3 }
const refDelta = 7

const largeBytes = 64 * 1024

/**
 * The objects as one pack, in pieces, the last of which is its checksum. Those with a delta are written as it, so what
 * they are made of must be among the objects too. Adds to `entries` what the index needs.
 */
export async function* packfile(
  objects: readonly NewObject[],
  level: number,
  entries: PackEntry[],
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const hash = createHash('sha1')
  let parts = [packHeader(objects.length)]
  let offset = packHeaderBytes
  let size = 0
  for (const object of objects) {
    const { header, data } = entryOf(object)
    const body = await compress(data, level)
    entries.push({ oid: object.oid, offset, crc: crc32(body, crc32(header)) })
    offset += header.length + body.length
    parts.push(header, body)
    size += body.length
    if (size < largeBytes) continue
    for (const chunk of chunksOf(parts, body)) {
      hash.update(chunk)
      yield chunk
    }
    // Thousands of small objects are compressed in our own thread; others want a turn in between.
    await new Promise((resolve) => setImmediate(resolve))
    parts = []
    size = 0
  }
  const rest = Buffer.concat(parts)
  hash.update(rest)
  yield rest
  yield hash.digest()
}

/** Large bodies are not copied once more. */
function chunksOf(
  parts: readonly Buffer<ArrayBuffer>[],
  last: Buffer<ArrayBuffer>,
): Buffer<ArrayBuffer>[] {
  return last.length < largeBytes
    ? [Buffer.concat(parts)]
    : [Buffer.concat(parts.slice(0, -1)), last]
}

/** The index of a pack of less than 2 GiB, in version 2: names in order, their checksums, their places. */
export function packIndex(entries: readonly PackEntry[], packChecksum: Buffer): Buffer {
  const inOrder = entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1))
  const byFirst = Map.groupBy(inOrder, ({ oid }) => Number.parseInt(oid.slice(0, 2), 16))
  const numbers = Buffer.alloc((2 + 256) * 4)
  numbers.writeUInt32BE(indexSignature, 0)
  numbers.writeUInt32BE(2, 4)
  let total = 0
  for (let first = 0; first < 256; first += 1) {
    total += byFirst.get(first)?.length ?? 0
    numbers.writeUInt32BE(total, (2 + first) * 4)
  }
  const names = Buffer.from(inOrder.map(({ oid }) => oid).join(''), 'hex')
  const places = Buffer.alloc(inOrder.length * 8)
  for (const [at, { crc, offset }] of inOrder.entries()) {
    places.writeUInt32BE(crc, at * 4)
    places.writeUInt32BE(offset, (inOrder.length + at) * 4)
  }
  const index = Buffer.concat([numbers, names, places, packChecksum])
  return Buffer.concat([index, createHash('sha1').update(index).digest()])
}

const indexSignature = 0xff744f63
const packHeaderBytes = 12

function packHeader(objects: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(packHeaderBytes)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects, 8)
  return header
}

const deflateLater = promisify<Buffer, ZlibOptions, Buffer<ArrayBuffer>>(deflate)

function compress(data: Buffer, level: number): Buffer<ArrayBuffer> | Promise<Buffer<ArrayBuffer>> {
  // In one piece, for there is nothing to do but to copy it.
  if (level === compression.none)
    return deflateSync(data, { level, chunkSize: data.length + largeBytes })
  return data.length > largeBytes ? deflateLater(data, { level }) : deflateSync(data, { level })
}

function entryOf({ type, data, delta }: NewObject): { header: Buffer<ArrayBuffer>; data: Buffer } {
  if (delta === undefined) return { header: entryHeader(typeNumbers[type], data.length), data }
  const { base, instructions } = delta
  const header = entryHeader(refDelta, instructions.length)
  return {
    header: Buffer.concat([header, Buffer.from(base.oid, 'hex')]),
    data: instructions,
  }
}

/** Three bits of type and four of size, then seven bits of size a byte, lowest first. */
function entryHeader(type: number, size: number): Buffer<ArrayBuffer> {
  const bytes: number[] = []
  let byte = (type << 4) | (size & 15)
  let left = Math.floor(size / 16)
  while (left > 0) {
    bytes.push(byte | 0x80)
    byte = left & 0x7f
    left = Math.floor(left / 128)
  }
  bytes.push(byte)
  return Buffer.from(bytes)
}
