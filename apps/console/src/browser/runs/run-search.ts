import type { RunFilter } from '@agents/client'

/** The filters of the list as they are in its address. */
export interface RunSearch {
  readonly namespace?: string
  readonly kind?: string
  readonly phase?: string
  readonly agent?: string
  readonly repository?: string
  readonly label?: string
  /** Words that all occur in the run. */
  readonly text?: string
  readonly source?: string
  /** Days in the zone of the reader, both included. */
  readonly since?: string
  readonly until?: string
}

const names = [
  ...['namespace', 'kind', 'phase', 'agent', 'repository', 'label', 'text', 'source'],
  ...['since', 'until'],
] as const

const day = /^\d{4}-\d{2}-\d{2}$/

/** Reads an address, which anybody can write. */
export function readRunSearch(search: Readonly<Record<string, unknown>>): RunSearch {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name]
      const text = ['number', 'boolean'].includes(typeof value) ? String(value) : value
      if (typeof text !== 'string' || text === '') return []
      const isDay = name === 'since' || name === 'until'
      return isDay && startOf(text) === undefined ? [] : [[name, text]]
    }),
  )
}

/** What the API is asked for. Labels are separated by commas. */
export function filterOf({ label, since, until, ...rest }: RunSearch): RunFilter {
  const labels = (label ?? '').split(',').flatMap((each) => each.trim() || [])
  const from = since === undefined ? undefined : startOf(since)
  const to = until === undefined ? undefined : startOf(until, 1)
  return {
    ...rest,
    ...(labels.length > 0 && { label: labels }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
  }
}

/** When the day begins here, or one that many days later. */
function startOf(text: string, later = 0): string | undefined {
  if (!day.test(text)) return undefined
  const [year = 0, month = 1, date = 1] = text.split('-').map(Number)
  const start = new Date(year, month - 1, date + later)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}
