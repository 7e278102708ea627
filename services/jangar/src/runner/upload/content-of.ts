import { createHash } from 'node:crypto'
import { constants, fstatSync, read } from 'node:fs'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Content that can be read several times. */
export interface UploadContent {
  readonly sizeBytes: number
  readonly sha256: string
  /** From the start, at most `sizeBytes`. */
  stream(): AsyncIterable<Uint8Array>
}

/** The content of an open file, as it is now. */
export async function contentOf(file: number): Promise<UploadContent> {
  const sizeBytes = fstatSync(file).size
  const hash = createHash('sha256')
  for await (const piece of pieces(file, sizeBytes)) hash.update(piece)
  return { sizeBytes, sha256: hash.digest('hex'), stream: () => pieces(file, sizeBytes) }
}

/** Calls `use` with the open file. Undefined if the path is no file, or cannot be read. */
export async function withFile<T>(
  path: string,
  use: (file: number) => Promise<T>,
): Promise<T | undefined> {
  // A pipe that nobody writes to must not stop the runner.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    return (await file.stat()).isFile() ? await use(file.fd) : undefined
  } finally {
    await file.close()
  }
}

const readAt = promisify(read)
const pieceBytes = 256 * 1024

async function* pieces(file: number, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, sizeBytes - at))
    const { bytesRead } = await readAt(file, buffer, 0, buffer.length, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
