import { type TimeZone, timeZoneOf } from '../../kubernetes/time-zone.ts'
import { type CronExpression, parseCron } from './cron-expression.ts'

/** The times that a cron expression matches in a time zone. */
export interface Calendar {
  /** The first time after this one. Undefined if there is none for years. */
  next(after: Date): Date | undefined
  /** The last time at or before this one. Undefined if there is none for years. */
  latest(now: Date): Date | undefined
}

export type CalendarResult =
  | { readonly ok: true; readonly calendar: Calendar }
  | {
      readonly ok: false
      readonly reason: 'InvalidCron' | 'UnknownTimezone'
      readonly message: string
    }

export function parseCalendar(cron: string, timezone = 'UTC'): CalendarResult {
  const zone = timeZoneOf(timezone)
  if (zone === undefined) {
    return {
      ok: false,
      reason: 'UnknownTimezone',
      message: `spec.timezone ${JSON.stringify(timezone)} is unknown; use a name of the IANA database, such as Europe/Vienna`,
    }
  }
  const parsed = parseCron(cron)
  if (!parsed.ok) {
    return {
      ok: false,
      reason: 'InvalidCron',
      message: `spec.cron ${JSON.stringify(cron)} is invalid: ${parsed.message}`,
    }
  }
  return { ok: true, calendar: calendarOf(parsed.expression, zone) }
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** The 29th of February on a given weekday comes every 28 years, and across a century without a leap day after 40. */
const mostDays = 41 * 366

function calendarOf(expression: CronExpression, zone: TimeZone): Calendar {
  return {
    next: (after) => {
      const start = localDay(zone, after.getTime()) - day
      for (let at = 0; at < mostDays; at += 1) {
        const found = instantsOn(expression, zone, start + at * day)
        const first = found.find((instant) => instant > after.getTime())
        if (first !== undefined) return new Date(first)
      }
      return undefined
    },
    latest: (now) => {
      const start = localDay(zone, now.getTime()) + day
      for (let at = 0; at < mostDays; at += 1) {
        const found = instantsOn(expression, zone, start - at * day)
        const last = found.findLast((instant) => instant <= now.getTime())
        if (last !== undefined) return new Date(last)
      }
      return undefined
    },
  }
}

/** Local midnight of the day of an instant. Local times are written as if they were in UTC. */
function localDay(zone: TimeZone, instant: number): number {
  return Math.floor((instant + zone.offsetAt(instant)) / day) * day
}

/** The instants of one local day that match, in their order. */
function instantsOn(expression: CronExpression, zone: TimeZone, midnight: number): number[] {
  const date = new Date(midnight)
  const matches = expression.matchesDay({
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  })
  if (!matches) return []
  const times = expression.hours.flatMap((h) =>
    expression.minutes.map((m) => midnight + h * hour + m * minute),
  )
  const before = zone.offsetAt(midnight - day)
  const after = zone.offsetAt(midnight + 2 * day)
  if (before === after) return times.map((local) => local - before)
  const isFixed = times.length === 1
  const instants = times.flatMap((local) => instantsOf(zone, local, { before, after, isFixed }))
  return [...new Set(instants)].toSorted((a, b) => a - b)
}

/**
 * The instants of a local time on a day near a change of the clock. A time that is skipped has none, and one that is
 * repeated has two. A fixed time of day has exactly one: the moment of the change, or the first of both.
 */
function instantsOf(
  zone: TimeZone,
  local: number,
  { before, after, isFixed }: { before: number; after: number; isFixed: boolean },
): number[] {
  const found = [before, after]
    .map((offset) => local - offset)
    .filter((instant) => instant + zone.offsetAt(instant) === local)
    .toSorted((a, b) => a - b)
  if (!isFixed) return found
  return [found[0] ?? changeBetween(zone, local - after, local - before)]
}

/** The first instant with the later offset, to the minute. */
function changeBetween(zone: TimeZone, from: number, to: number): number {
  const offset = zone.offsetAt(from)
  let [low, high] = [from, to]
  while (high - low > minute) {
    const middle = Math.floor((low + high) / 2 / minute) * minute
    if (zone.offsetAt(middle) === offset) low = middle
    else high = middle
  }
  return high
}
