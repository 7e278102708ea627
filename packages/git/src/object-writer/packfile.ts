import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, deflate, deflateSync } from 'node:zlib'
import type { GitObject, ObjectType } from './git-object.ts'

const typeNumbers: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3 }

const LARGE = 64 * 1024

/**
 * The objects as one pack, whole and without deltas: what `git unpack-objects` and `git index-pack` read. Compressing is worth it only
 * where the pack is kept as it is.
 */
export async function* packfile(
  objects: readonly GitObject[],
  compression: 'none' | 'fast',
): AsyncGenerator<Buffer> {
  const hash = createHash('sha1')
  const header = Buffer.alloc(12)
  header.write('PACK', 'latin1')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.length, 8)
  hash.update(header)
  yield header
  let parts: Buffer[] = []
  let size = 0
  for (const { type, data } of objects) {
    const body = await compress(data, compression)
    parts.push(entryHeader(typeNumbers[type], data.length), body)
    size += body.length
    if (size < LARGE) continue
    const chunk = Buffer.concat(parts)
    hash.update(chunk)
    yield chunk
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

const levels = {
  none: { level: constants.Z_NO_COMPRESSION },
  fast: { level: constants.Z_BEST_SPEED },
}
const deflateLater = promisify<Buffer, { level: number }, Buffer>(deflate)

const compress = (data: Buffer, compression: 'none' | 'fast'): Buffer | Promise<Buffer> =>
  data.length > LARGE
    ? deflateLater(data, levels[compression])
    : deflateSync(data, levels[compression])

/** Three bits of type and four of size, then seven bits of size a byte, lowest first. */
const entryHeader = (type: number, size: number): Buffer => {
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
