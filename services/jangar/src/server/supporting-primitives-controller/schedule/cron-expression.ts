/** A parsed cron expression: which values of each field match. */
export interface CronExpression {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  /** Whether a day matches. `month` and `weekday` count from 0, `day` from 1. */
  matchesDay(day: {
    readonly month: number
    readonly day: number
    readonly weekday: number
  }): boolean
}

type Parsed =
  | { readonly ok: true; readonly expression: CronExpression }
  | { readonly ok: false; readonly message: string }

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

interface Field {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of the values from `min` on. */
  readonly names?: readonly string[]
}

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: months },
  // Sunday is 0 and 7.
  { name: 'day of week', min: 0, max: 7, names: weekdays },
]

class InvalidField extends Error {}

/** Parses the syntax of a CronJob: five fields, or a macro. */
export function parseCron(cron: string): Parsed {
  const expression = macros[cron.trim().toLowerCase()] ?? cron.trim()
  const texts = expression.split(/\s+/)
  if (texts.length !== fields.length) {
    return { ok: false, message: 'it needs five fields, or a macro such as @daily' }
  }
  try {
    const [minute, hour, day, month, weekday] = fields.map((field, at) =>
      parseField(texts[at] ?? '', field),
    ) as [Values, Values, Values, Values, Values]
    return { ok: true, expression: expressionOf(minute, hour, day, month, weekday) }
  } catch (error) {
    if (error instanceof InvalidField) return { ok: false, message: error.message }
    throw error
  }
}

function expressionOf(
  minute: Values,
  hour: Values,
  day: Values,
  month: Values,
  weekday: Values,
): CronExpression {
  const weekdaysFromZero = new Set([...weekday.values].map((value) => value % 7))
  // If both are restricted, either one is enough.
  const needsBoth = day.isAny || weekday.isAny
  return {
    minutes: sorted(minute),
    hours: sorted(hour),
    matchesDay: (date) => {
      if (!month.values.has(date.month + 1)) return false
      const byDay = day.values.has(date.day)
      const byWeekday = weekdaysFromZero.has(date.weekday)
      return needsBoth ? byDay && byWeekday : byDay || byWeekday
    },
  }
}

function sorted({ values }: Values): number[] {
  return [...values].toSorted((a, b) => a - b)
}

interface Values {
  readonly values: ReadonlySet<number>
  /** Whether a part is `*`. A step makes it a restriction. */
  readonly isAny: boolean
}

function parseField(text: string, field: Field): Values {
  const parts = text.split(',').map((part) => parsePart(part, field))
  return {
    values: new Set(parts.flatMap(({ values }) => values)),
    isAny: parts.some(({ isAny }) => isAny),
  }
}

function parsePart(part: string, field: Field): { values: number[]; isAny: boolean } {
  const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? []
  const by = step === undefined ? 1 : Number(step)
  if (range === '' || by === 0) throw invalid(part, field)
  const isAny = range === '*' || range === '?'
  const [first, last] = isAny
    ? [field.min, lastOf(field)]
    : endsOf(range, step !== undefined, field)
  const count = Math.floor((last - first) / by) + 1
  return {
    values: Array.from({ length: count }, (_, at) => first + at * by),
    isAny: isAny && by === 1,
  }
}

/** A single value with a step begins a range to the end. */
function endsOf(range: string, hasStep: boolean, field: Field): [number, number] {
  const ends = range.split('-').map((text) => fieldValue(text, field))
  const [first, last = hasStep ? lastOf(field) : first] = ends
  if (first === undefined || last === undefined || ends.length > 2 || first > last) {
    throw invalid(range, field)
  }
  return [first, last]
}

function lastOf({ min, max, names }: Field): number {
  return names === undefined ? max : min + names.length - 1
}

function fieldValue(text: string, field: Field): number {
  const name = field.names?.indexOf(text.toLowerCase()) ?? -1
  if (name >= 0) return field.min + name
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (value >= field.min && value <= field.max) return value
  throw invalid(text, field)
}

function invalid(text: string, { name }: Field): InvalidField {
  return new InvalidField(`${JSON.stringify(text)} is not valid as ${name}`)
}
