import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { pathExists } from '../folder/path-exists.ts'
import { type LogEntry, parseEntries } from './log-entry.ts'
import { hasEnded, logSegments, segmentPath } from './log-folder.ts'

export interface ReadLogOptions {
  readonly follow: boolean
  readonly timestamps: boolean
  readonly tailLines?: number | undefined
  readonly limitBytes?: number | undefined
  readonly since?: Date | undefined
}

const pieceSize = 64 * 1024
/** Also the longest delay of a line for a follower. */
const pollMs = 100

/** The log of a container, as `kubectl logs` shows it. Following ends with the container, or with the signal. */
export async function* readLog(
  folder: string,
  options: ReadLogOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const print = printer(options)
  for await (const entries of followEntries(folder, options, signal)) {
    const bytes = print.take(entries)
    if (bytes.length > 0) yield bytes
    if (print.isFull()) return
  }
}

interface Position {
  readonly segment: number
  readonly offset: number
}

async function* followEntries(
  folder: string,
  { follow, tailLines }: ReadLogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogEntry[]> {
  let position: Position = await startOf(folder, tailLines)
  while (!signal.aborted) {
    // Checked before reading: output that arrives after the check is read in the next round.
    const isLast = !follow || (await hasEnded(folder)) || !(await pathExists(folder))
    for await (const { entries, next } of entriesFrom(folder, position)) {
      position = next
      yield entries
      if (signal.aborted) return
    }
    if (isLast) return
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

async function* entriesFrom(
  folder: string,
  from: Position,
): AsyncGenerator<{ entries: LogEntry[]; next: Position }> {
  const segments = (await logSegments(folder)).filter((number) => number >= from.segment)
  for (const segment of segments) {
    let offset = segment === from.segment ? from.offset : 0
    const file = await open(segmentPath(folder, segment), 'r').catch(() => undefined)
    if (file === undefined) continue
    try {
      for (
        let piece = await readPiece(file, offset);
        piece;
        piece = await readPiece(file, offset)
      ) {
        const { entries, length } = parseEntries(piece)
        if (length === 0) break
        offset += length
        yield { entries, next: { segment, offset } }
      }
    } finally {
      await file.close()
    }
  }
}

async function readPiece(file: FileHandle, offset: number): Promise<Buffer | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pieceSize), 0, pieceSize, offset)
  return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead)
}

/** Where the last lines start, searched from the end. */
async function startOf(folder: string, tailLines: number | undefined): Promise<Position> {
  const segments = await logSegments(folder)
  const first = segments[0] ?? 0
  if (tailLines === undefined) return { segment: first, offset: 0 }
  let missing = tailLines
  for (const segment of segments.toReversed()) {
    const starts = await lineStarts(folder, segment)
    if (segment === segments.at(-1) && missing === 0) return { segment, offset: starts.end }
    const start = starts.lines.at(-missing)
    if (start !== undefined && starts.lines.length >= missing) return { segment, offset: start }
    missing -= starts.lines.length
  }
  return { segment: first, offset: 0 }
}

/** Offsets of the lines that start in a file. A line that started in the previous file is counted there. */
async function lineStarts(
  folder: string,
  segment: number,
): Promise<{ lines: number[]; end: number }> {
  const lines: number[] = []
  let offset = 0
  let atStart = true
  for await (const { entries, next } of entriesFrom(folder, { segment, offset: 0 })) {
    if (next.segment !== segment) break
    for (const { isFull, text } of entries) {
      if (atStart) lines.push(offset)
      atStart = isFull
      offset += text.length + entryOverhead
    }
  }
  return { lines, end: offset }
}

/** Header and newline. */
const entryOverhead = 34

function printer({ since, timestamps, limitBytes = Number.POSITIVE_INFINITY }: ReadLogOptions) {
  const earliest = since?.getTime() ?? Number.NEGATIVE_INFINITY
  let left = limitBytes
  let atStart = true
  const newline = Buffer.from('\n')
  return {
    isFull: () => left <= 0,
    take: (entries: readonly LogEntry[]): Buffer => {
      const parts: Buffer[] = []
      for (const { time, isFull, text } of entries) {
        if (Date.parse(time) < earliest) continue
        if (timestamps && atStart) parts.push(Buffer.from(`${time} `, 'latin1'))
        parts.push(text)
        if (isFull) parts.push(newline)
        atStart = isFull
      }
      const bytes = Buffer.concat(parts)
      const visible = bytes.length > left ? bytes.subarray(0, left) : bytes
      left -= visible.length
      return visible
    },
  }
}
