import { type TimeZone, timeZoneOf } from '../kubernetes/time-zone.ts'

export type WindowKind = 'day' | 'month' | 'none'

/** A half-open period in milliseconds since 1970. */
export interface Window {
  readonly start: number
  readonly end: number
}

export const always: Window = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }

/** The window that contains the instant. Undefined if the time zone is unknown. */
export function windowAt(instant: number, kind: WindowKind, timezone = 'UTC'): Window | undefined {
  const zone = timeZoneOf(timezone)
  if (zone === undefined) return undefined
  if (kind === 'none') return always
  const local = new Date(instant + zone.offsetAt(instant))
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()]
  const [start, end] =
    kind === 'day'
      ? [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)]
      : [Date.UTC(year, month), Date.UTC(year, month + 1)]
  return { start: instantOf(start, zone), end: instantOf(end, zone) }
}

const halfDayMs = 43_200_000

/**
 * The first instant at which clocks show this local midnight, or the instant at which they skip it: where daylight
 * saving time begins or ends at midnight, it happens twice or not at all.
 */
function instantOf(local: number, zone: TimeZone): number {
  const offsets = [zone.offsetAt(local - halfDayMs * 2), zone.offsetAt(local + halfDayMs * 2)]
  const [before = 0] = offsets
  const candidates = offsets
    .map((offset) => local - offset)
    .filter((instant) => instant + zone.offsetAt(instant) === local)
  return candidates.length > 0 ? Math.min(...candidates) : local - before
}
