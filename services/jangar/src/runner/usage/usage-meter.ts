import type { ReadEvent } from './adapter.ts'
import { addUsage, type Usage, withTotal } from './usage.ts'

export interface UsageMeter {
  /** One line of standard output. */
  line(line: string): void
  usage(): Usage | undefined
  summary(): string | undefined
}

const LONGEST_SUMMARY = 1000

/** Sums up over conversations; within one the latest count stands, since programs report running totals. */
export function createUsageMeter(readEvent: ReadEvent | undefined): UsageMeter {
  const bySession = new Map<string, Usage>()
  let session = ''
  let summary: string | undefined
  return {
    line(line) {
      const event = readEvent === undefined ? undefined : parseEvent(line)
      const reading = event && readEvent?.(event)
      if (reading === undefined) return
      session = reading.session ?? session
      if (reading.usage !== undefined) bySession.set(session, reading.usage)
      if (reading.summary !== undefined) summary = reading.summary.slice(0, LONGEST_SUMMARY)
    },
    usage() {
      const all = [...bySession.values()]
      return all.length === 0 ? undefined : withTotal(all.reduce(addUsage))
    },
    summary: () => summary?.toWellFormed(),
  }
}

function parseEvent(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    // A line that only looks like an event.
    return undefined
  }
}
