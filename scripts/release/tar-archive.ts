import { gzipSync } from 'node:zlib'

export interface ArchiveEntry {
  /** With slashes, at most 255 characters. */
  readonly path: string
  readonly content: Buffer
  readonly isExecutable?: boolean
}

const blockSize = 512

/**
 * A gzipped tar archive (ustar) of regular files, sorted by path and owned by root: the same entries and time give
 * the same bytes.
 */
export function tarArchive(entries: readonly ArchiveEntry[], time: Date): Buffer {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const blocks = sorted.flatMap((entry) => [header(entry, time), padded(entry.content)])
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 })
}

function header({ path, content, isExecutable = false }: ArchiveEntry, time: Date): Buffer {
  const block = Buffer.alloc(blockSize)
  const { prefix, name } = splitPath(path)
  block.write(name, 0, 100)
  block.write(octal(isExecutable ? 0o755 : 0o644, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(content.length, 12), 124)
  block.write(octal(Math.floor(time.getTime() / 1000), 12), 136)
  // The checksum is computed with its own field blank.
  block.write(' '.repeat(8), 148)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(prefix, 345, 155)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}

/** Names of more than 100 characters are split at a slash. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path }
  const slash = path.indexOf('/', Buffer.byteLength(path) - 101)
  if (slash < 0 || slash > 155) throw new Error(`${path} is too long for a tar archive`)
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) }
}

function padded(content: Buffer): Buffer {
  const rest = content.length % blockSize
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(blockSize - rest)])
}
