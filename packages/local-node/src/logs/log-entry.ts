/**
 * One entry of a log file: time, `F` or `P`, and text. A `P` entry continues in the next one: the line was too long,
 * or the container ended in the middle of it.
 */
export interface LogEntry {
  /** RFC 3339 with nanoseconds. */
  readonly time: string
  readonly isFull: boolean
  readonly text: Buffer
}

const newline = 0x0a
/** `2026-01-01T00:00:00.000000000Z F ` */
const headerLength = 33

/** Headers of all entries with the same time. */
export interface EntryHeaders {
  readonly full: Uint8Array
  readonly partial: Uint8Array
}

export function entryHeaders(now: Date): EntryHeaders {
  const time = now.toISOString().replace('Z', '000000Z')
  return { full: Buffer.from(`${time} F `), partial: Buffer.from(`${time} P `) }
}

export const lineEnd: Uint8Array = Buffer.from([newline])

/** The complete entries in a part of a file, and their length in bytes; the rest has not been written yet. */
export function parseEntries(piece: Buffer): { entries: LogEntry[]; length: number } {
  const entries: LogEntry[] = []
  let start = 0
  for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
    if (end - start >= headerLength) {
      entries.push({
        time: piece.toString('latin1', start, start + 30),
        isFull: piece[start + 31] === 0x46,
        text: piece.subarray(start + headerLength, end),
      })
    }
    start = end + 1
  }
  return { entries, length: start }
}
