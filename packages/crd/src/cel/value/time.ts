import { formatPlainDouble } from '../../go-text.ts'
import { CelError, duration, type Timestamp, timestamp, type Value } from './value.ts'

/** Parses an RFC 3339 time as Go does; undefined if it is invalid. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone = ''] = match
  const date = calendarDays(Number(year), Number(month), Number(day))
  const offset = zoneMinutes(zone)
  if (date === undefined || offset === undefined) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const clock = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const seconds = BigInt(date * 86400 + clock - offset * 60)
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow
  const nanos = BigInt(fraction.slice(1, 10).padEnd(9, '0'))
  return timestamp(seconds * nanosecondsPerSecond + nanos, offset)
}

/** Parses a date `YYYY-MM-DD` as midnight UTC. */
export function parseDate(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return undefined
  const days = calendarDays(Number(match[1]), Number(match[2]), Number(match[3]))
  return days === undefined ? undefined : timestamp(BigInt(days * 86400) * nanosecondsPerSecond)
}

export function formatTimestamp(value: Timestamp): string {
  const fields = timestampFields(value, value.offsetMinutes)
  const fraction = fields.nanos === 0 ? '' : `.${pad(fields.nanos, 9).replace(/0+$/, '')}`
  const date = `${pad(fields.year, 4)}-${pad(fields.month, 2)}-${pad(fields.day, 2)}`
  const clock = `${pad(fields.hour, 2)}:${pad(fields.minute, 2)}:${pad(fields.second, 2)}`
  return `${date}T${clock}${fraction}${formatZone(value.offsetMinutes)}`
}

export interface TimestampFields {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  /** 0 is the first of January. */
  readonly dayOfYear: number
  /** 0 is Sunday. */
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanos: number
}

export function timestampFields(value: Timestamp, offsetMinutes: number): TimestampFields {
  const local = value.nanos + BigInt(offsetMinutes) * 60n * nanosecondsPerSecond
  const seconds = floorDivide(local, nanosecondsPerSecond)
  const date = new Date(Number(seconds) * 1000)
  const year = date.getUTCFullYear()
  const newYear = calendarDays(year, 1, 1) ?? 0
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayOfYear: Math.floor(Number(seconds) / 86400) - newYear,
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    nanos: Number(local - seconds * nanosecondsPerSecond),
  }
}

/** Minutes east of UTC at that time for `UTC`, `+02:00` or the name of a zone; an error if the zone does not exist. */
export function zoneOffset(value: Timestamp, zone: string): number | CelError {
  if (zone === '' || zone === 'UTC') return 0
  const colon = zone.indexOf(':')
  if (colon < 0) return namedZoneOffset(value, zone)
  const hours = goInteger(zone.slice(0, colon))
  if (hours instanceof CelError) return hours
  const minutes = goInteger(zone.slice(colon + 1))
  if (minutes instanceof CelError) return minutes
  return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes
}

/** Parses a Go duration: `1h30m`, `-1.5s`, `100us`. Undefined if it is invalid or out of range. */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(.*)$/s.exec(text)
  const sign = match?.[1] === '-' ? -1n : 1n
  const rest = match?.[2] ?? ''
  if (rest === '0') return 0n
  let nanos = 0n
  let at = 0
  while (at < rest.length) {
    durationPart.lastIndex = at
    const part = durationPart.exec(rest)
    const [whole = '', integer = '', fraction = '', unit = ''] = part ?? []
    const scale = unitNanoseconds.get(unit)
    if (part === null || scale === undefined || (integer === '' && fraction.length < 2)) {
      return undefined
    }
    nanos += BigInt(integer || '0') * scale
    const digits = fraction.slice(1, 30)
    if (digits !== '') nanos += (BigInt(digits) * scale) / 10n ** BigInt(digits.length)
    at += whole.length
  }
  if (at === 0 || nanos > maxDuration) return undefined
  return sign * nanos
}

/** Formats a duration in seconds with as many decimals as needed: `5400s`, `0.001s`. */
export function formatDuration(nanos: bigint): string {
  const seconds = Number(nanos / nanosecondsPerSecond) + Number(nanos % nanosecondsPerSecond) / 1e9
  return `${formatPlainDouble(seconds)}s`
}

export function checkDuration(nanos: bigint): Value {
  const fits = nanos >= -(2n ** 63n) && nanos <= maxDuration
  return fits ? duration(nanos) : durationOverflow
}

export function addToTimestamp(value: Timestamp, nanos: bigint): Value {
  return checkTimestamp(value.nanos + nanos, value.offsetMinutes)
}

export function timestampFromSeconds(seconds: bigint): Value {
  return checkTimestamp(seconds * nanosecondsPerSecond, 0)
}

export function subtractTimestamps(left: Timestamp, right: Timestamp): Value {
  return checkDuration(left.nanos - right.nanos)
}

export function timestampSeconds(value: Timestamp): bigint {
  return floorDivide(value.nanos, nanosecondsPerSecond)
}

export const nanosecondsPerSecond = 1_000_000_000n

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})$/
const durationPart = /(\d*)(\.\d*)?(ns|us|µs|μs|ms|s|m|h)/y
const unitNanoseconds = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', nanosecondsPerSecond],
  ['m', 60n * nanosecondsPerSecond],
  ['h', 3600n * nanosecondsPerSecond],
])
const maxDuration = 2n ** 63n - 1n
/** The bounds of the years 1 to 9999. */
const minSeconds = -62135596800n
const maxSeconds = 253402300799n
const timestampOverflow = new CelError('timestamp overflow')
const durationOverflow = new CelError('integer overflow')

function checkTimestamp(nanos: bigint, offsetMinutes: number): Value {
  const seconds = floorDivide(nanos, nanosecondsPerSecond)
  const fits = seconds >= minSeconds && seconds <= maxSeconds
  return fits ? timestamp(nanos, offsetMinutes) : timestampOverflow
}

function calendarDays(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return real ? Math.floor(date.getTime() / 86_400_000) : undefined
}

function zoneMinutes(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 24 || minutes > 60) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function formatZone(offset: number): string {
  if (offset === 0) return 'Z'
  const size = Math.abs(offset)
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60), 2)}:${pad(size % 60, 2)}`
}

function namedZoneOffset(value: Timestamp, zone: string): number | CelError {
  const unknown = new CelError(`unknown time zone ${zone}`)
  if (!/^[A-Za-z0-9_+/-]+$/.test(zone)) return unknown
  try {
    const millis = Number(floorDivide(value.nanos, 1_000_000n))
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      timeZoneName: 'longOffset',
    }).formatToParts(millis)
    const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
    return name === 'GMT' ? 0 : (zoneMinutes(name.slice(3, 9)) ?? 0)
  } catch {
    return unknown
  }
}

function goInteger(text: string): number | CelError {
  return /^[+-]?\d+$/.test(text)
    ? Number(text)
    : new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor !== 0n && value < 0n ? quotient - 1n : quotient
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}
