import { type Apply, type Library, method, type Overload } from '../../declaration/declaration.ts'
import { durationType, intType, stringType, timestampType } from '../../type/type.ts'
import {
  nanosecondsPerSecond,
  type TimestampFields,
  timestampFields,
  zoneOffset,
} from '../../value/time.ts'
import { CelError, isDuration, isTimestamp, noSuchOverload, type Value } from '../../value/value.ts'

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
    [
      ...accessors('hours', (fields) => fields.hour),
      durationPart('hours', 3600n * nanosecondsPerSecond),
    ],
  ],
  [
    'getMinutes',
    [
      ...accessors('minutes', (fields) => fields.minute),
      durationPart('minutes', 60n * nanosecondsPerSecond),
    ],
  ],
  [
    'getSeconds',
    [
      ...accessors('seconds', (fields) => fields.second),
      durationPart('seconds', nanosecondsPerSecond),
    ],
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
    if (!isTimestamp(value) || typeof zone !== 'string') return noSuchOverload
    const offset = zoneOffset(value, zone)
    return offset instanceof CelError ? offset : BigInt(pick(timestampFields(value, offset)))
  }
  return [
    method(`timestamp_to_${name}`, [timestampType], intType, apply),
    method(`timestamp_to_${name}_with_tz`, [timestampType, stringType], intType, apply),
  ]
}

function durationPart(name: string, unit: bigint): Overload {
  const apply = ([value = null]: readonly Value[]) =>
    isDuration(value) ? value.nanos / unit : noSuchOverload
  return method(`duration_to_${name}`, [durationType], intType, apply)
}
