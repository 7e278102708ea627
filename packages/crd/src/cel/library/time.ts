import { type Apply, type Library, method, type Overload } from '../declaration.ts'
import { SECOND, type TimestampFields, timestampFields, zoneOffset } from '../time.ts'
import { DURATION, INT, STRING, TIMESTAMP } from '../type.ts'
import { CelError, isDuration, isTimestamp, NO_SUCH_OVERLOAD, type Value } from '../value.ts'

/** Accessors of timestamps, in UTC or a zone given by name or offset, and of durations. */
export const time: Library = [
  ['getFullYear', accessors('year', (fields) => fields.year)],
  ['getMonth', accessors('month', (fields) => fields.month - 1)],
  ['getDayOfYear', accessors('day_of_year', (fields) => fields.dayOfYear)],
  ['getDayOfMonth', accessors('day_of_month', (fields) => fields.day - 1)],
  ['getDate', accessors('day_of_month_1_based', (fields) => fields.day)],
  ['getDayOfWeek', accessors('day_of_week', (fields) => fields.weekday)],
  [
    'getHours',
    [...accessors('hours', (fields) => fields.hour), durationPart('hours', 3600n * SECOND)],
  ],
  [
    'getMinutes',
    [...accessors('minutes', (fields) => fields.minute), durationPart('minutes', 60n * SECOND)],
  ],
  [
    'getSeconds',
    [...accessors('seconds', (fields) => fields.second), durationPart('seconds', SECOND)],
  ],
  [
    'getMilliseconds',
    [
      ...accessors('milliseconds', (fields) => Math.floor(fields.nanos / 1_000_000)),
      durationPart('milliseconds', 1_000_000n),
    ],
  ],
]

function accessors(name: string, pick: (fields: TimestampFields) => number): Overload[] {
  const apply: Apply = ([value = null, zone = '']) => {
    if (!isTimestamp(value) || typeof zone !== 'string') return NO_SUCH_OVERLOAD
    const offset = zoneOffset(value, zone)
    return offset instanceof CelError ? offset : BigInt(pick(timestampFields(value, offset)))
  }
  return [
    method(`timestamp_to_${name}`, [TIMESTAMP], INT, apply),
    method(`timestamp_to_${name}_with_tz`, [TIMESTAMP, STRING], INT, apply),
  ]
}

function durationPart(name: string, unit: bigint): Overload {
  const apply = ([value = null]: readonly Value[]) =>
    isDuration(value) ? value.nanos / unit : NO_SUCH_OVERLOAD
  return method(`duration_to_${name}`, [DURATION], INT, apply)
}
