import { closeSync, fstatSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { type EntryHeaders, entryHeaders, lineEnd } from './log-entry.ts'
import { segmentNumbers, segmentPath } from './log-folder.ts'

export interface LogLimits {
  /** Size limit of one file. */
  readonly maxBytes: number
  readonly maxFiles: number
  /** Output that is written faster has to wait, so that one container cannot keep the machine busy. */
  readonly bytesPerSecond: number
}

export const defaultLogLimits: LogLimits = {
  maxBytes: 10 * 1024 * 1024,
  maxFiles: 5,
  bytesPerSecond: 8 * 1024 * 1024,
}

/** A longer line is split into several entries. */
const longestLine = 16 * 1024
const newline = 0x0a

/**
 * Writes the output of a container into files of limited size and number. Synchronous, because output that was read
 * from the pipe would be lost if the node were killed before it is in a file.
 */
export class LogWriter {
  readonly #folder: string
  readonly #limits: LogLimits
  readonly #now: () => Date
  #file: number | undefined
  #size = 0
  #rest: Buffer = Buffer.alloc(0)

  constructor(folder: string, limits: LogLimits, now: () => Date) {
    this.#folder = folder
    this.#limits = limits
    this.#now = now
  }

  /** Returns the number of bytes written to the file. */
  write(chunk: Buffer): number {
    const headers = entryHeaders(this.#now())
    const parts: Uint8Array[] = []
    const piece = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      addLine(parts, headers, piece.subarray(start, end), true)
      start = end + 1
    }
    let rest = piece.subarray(start)
    if (rest.length >= longestLine) {
      addLine(parts, headers, rest, false)
      rest = rest.subarray(rest.length)
    }
    // A copy, because a slice would keep the whole chunk in memory.
    this.#rest = Buffer.from(rest)
    return this.#append(parts)
  }

  close(): void {
    if (this.#rest.length > 0) {
      this.#append([entryHeaders(this.#now()).partial, this.#rest, lineEnd])
      this.#rest = Buffer.alloc(0)
    }
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #append(parts: readonly Uint8Array[]): number {
    if (parts.length === 0) return 0
    const bytes = Buffer.concat(parts)
    const file = this.#roomy()
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    this.#size += bytes.length
    return bytes.length
  }

  #roomy(): number {
    if (this.#file !== undefined && this.#size < this.#limits.maxBytes) return this.#file
    const isFirst = this.#file === undefined
    if (this.#file !== undefined) closeSync(this.#file)
    const segments = segmentNumbers(readdirSync(this.#folder))
    const last = segments.at(-1) ?? 0
    const number = isFirst ? Math.max(last, 1) : last + 1
    this.#file = openSync(segmentPath(this.#folder, number), 'a', 0o600)
    this.#size = fstatSync(this.#file).size
    for (const old of segments.filter((one) => one <= number - this.#limits.maxFiles)) {
      rmSync(segmentPath(this.#folder, old), { force: true })
    }
    return this.#file
  }
}

function addLine(
  parts: Uint8Array[],
  { full, partial }: EntryHeaders,
  line: Buffer,
  isFull: boolean,
): void {
  let rest = line
  while (rest.length > longestLine) {
    parts.push(partial, rest.subarray(0, longestLine), lineEnd)
    rest = rest.subarray(longestLine)
  }
  parts.push(isFull ? full : partial, rest, lineEnd)
}
