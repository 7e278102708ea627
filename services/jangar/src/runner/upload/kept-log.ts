import { openNamelessFile } from './nameless-file.ts'

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

/** Opens the copy in a folder. */
export function openKeptLog(folder: string, limit = largestLogBytes): KeptLog {
  const file = openNamelessFile(folder)
  let room = limit
  const append = (text: string | Uint8Array): void => {
    if (room <= 0) return
    const bytes = Buffer.from(text as string)
    file.append(bytes.subarray(0, room))
    room -= bytes.length
    if (room < 0) file.append(Buffer.from(endNotice))
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
    descriptor: file.descriptor,
    close: file.close,
  }
}
