const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether the text is an existing day as `YYYY-MM-DD`. */
export function isDate(value: string): boolean {
  return value.length === 10 && isDatePrefix(value)
}

function isDatePrefix(value: string): boolean {
  const year = digits(value, 0, 4)
  const month = digits(value, 5, 2)
  const day = digits(value, 8, 2)
  if (year < 0 || month < 1 || month > 12 || day < 1) return false
  if (value.charCodeAt(4) !== 0x2d || value.charCodeAt(7) !== 0x2d) return false
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (daysInMonth[month - 1] ?? 0) + (leap ? 1 : 0)
}

// The separator of the fraction may be any character, because upstream does not escape the dot in its pattern.
const timePattern = /^[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u

/**
 * Whether the text is an RFC 3339 time as upstream accepts it: also lower case letters and offsets of any size, no leap
 * seconds.
 */
export function isDateTime(value: string): boolean {
  if (isPlainUtc(value)) return true
  const [date = '', time] = value.toLowerCase().split('t', 2)
  if (time === undefined || !isDate(date) || !timePattern.test(time)) return false
  return time.slice(0, 2) <= '23' && time.slice(3, 5) <= '59' && time.slice(6, 8) <= '59'
}

/**
 * Whether the text has the form that Kubernetes writes, `2006-01-02T15:04:05Z`. Checked without a regular expression.
 */
function isPlainUtc(value: string): boolean {
  if (value.length !== 20 || value.charCodeAt(10) !== 0x54 || value.charCodeAt(19) !== 0x5a)
    return false
  if (value.charCodeAt(13) !== 0x3a || value.charCodeAt(16) !== 0x3a || !isDatePrefix(value))
    return false
  const hour = digits(value, 11, 2)
  const minute = digits(value, 14, 2)
  const second = digits(value, 17, 2)
  return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59
}

/** The number that `count` decimal digits form, or -1. */
function digits(value: string, start: number, count: number): number {
  let number = 0
  for (let index = start; index < start + count; index += 1) {
    const digit = value.charCodeAt(index) - 0x30
    if (!(digit >= 0 && digit <= 9)) return -1
    number = number * 10 + digit
  }
  return number
}

const unitNanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
const maxInt64 = 2n ** 63n - 1n

/** Whether the text is a duration of Go (`1h30m`) or contains one of Scala (`3 days`). */
export function isDuration(value: string): boolean {
  return isGoDuration(value) || isSpelledOutDuration(value)
}

const goDurationPattern = /^[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/u
const goDurationPart = /([0-9]*)(?:\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h)/gu

function isGoDuration(value: string): boolean {
  if (/^[-+]?0$/.test(value)) return true
  if (value.length > 4_096 || !goDurationPattern.test(value)) return false
  let total = 0n
  for (const [, whole = '', unit = ''] of value.matchAll(goDurationPart)) {
    total += BigInt(whole === '' ? 0 : whole) * (unitNanoseconds.get(unit) ?? 0n)
  }
  return total <= maxInt64
}

const unitSynonyms: readonly (readonly [readonly string[], string])[] = [
  [['ns'], 'nano'],
  [['us', 'µs'], 'micro'],
  [['ms'], 'milli'],
  [['s'], 'sec'],
  [['m'], 'min'],
  [['h', 'hr'], 'hour'],
  [['d'], 'day'],
  [['w', 'wk'], 'week'],
]

/** Begins where digits begin: from each of them, a long number would be read once more. */
const spelledOutPart = /(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)/gu

function isSpelledOutDuration(value: string): boolean {
  let found = false
  for (const [, factor = '', word = ''] of value.matchAll(spelledOutPart)) {
    if (factor.length > 19 && BigInt(factor) > maxInt64) return false
    if (factor.length === 19 && BigInt(factor) > maxInt64) return false
    const unit = word.toLowerCase()
    found ||= unitSynonyms.some(
      ([exact, prefix]) => exact.includes(unit) || unit.startsWith(prefix),
    )
  }
  return found
}
