import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A copy of everything that the runner writes to its output, for the upload at the end. */
export interface KeptLog {
  /** The same stream, whose writes are copied. */
  copyOf(stream: NodeJS.WritableStream): NodeJS.WritableStream
  /** The file that has the copy; undefined if it could not be written whole. */
  descriptor(): number | undefined
  close(): void
}

/** Disks of pods are small; what is printed beyond this is not kept. */
const largestLogBytes = 256 * 1024 * 1024
const endNotice = '\n… the output is longer; the rest was not kept\n'

/**
 * Opens the copy in a folder. Its file has no name from the start, so that the program, which has the rights of the
 * runner, can neither change nor replace it.
 */
export function openKeptLog(folder: string, limit = largestLogBytes): KeptLog {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `.output-${randomUUID()}`)
  const file = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  let room = limit
  let isWhole = true
  const append = (text: string | Uint8Array): void => {
    if (room <= 0 || !isWhole) return
    const bytes = Buffer.from(text as string)
    try {
      writeAll(file, bytes.subarray(0, room))
      room -= bytes.length
      if (room < 0) writeAll(file, Buffer.from(endNotice))
    } catch {
      // A full disk must not fail the run.
      isWhole = false
    }
  }
  return {
    copyOf: (stream) =>
      ({
        __proto__: stream,
        write: (text: string | Uint8Array, ...rest: []) => {
          append(text)
          return stream.write(text, ...rest)
        },
      }) as unknown as NodeJS.WritableStream,
    descriptor: () => (isWhole ? file : undefined),
    close: () => closeSync(file),
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
