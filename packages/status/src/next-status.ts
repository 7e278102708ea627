import { rfc3339 } from './rfc3339.ts'

/** The timestamp fields of a status. A change of these fields alone does not cause a write. */
export interface ClockFields {
  /** Top-level names, set to the time of the write. */
  readonly stamped: readonly string[]
  /** Dotted paths, such as `stream.lastEventTime`, that are written only together with another change. */
  readonly passive: readonly string[]
}

const contractClock: ClockFields = { stamped: ['updatedAt'], passive: [] }

/** The status to write with its timestamps set, or undefined if only timestamps have changed. */
export function nextStatus<S extends object>(
  previous: object | undefined,
  next: S,
  now: Date,
  clock: ClockFields = contractClock,
): S | undefined {
  if (settled(previous, next, clock)) return undefined
  const stamps = Object.fromEntries(clock.stamped.map((name) => [name, rfc3339(now)]))
  return { ...next, ...stamps }
}

/** Whether two statuses are equal apart from their clock fields. An undefined property is an absent one, as in JSON. */
export function settled(
  previous: object | undefined,
  next: object,
  clock: ClockFields = contractClock,
): boolean {
  return isSame(previous, next, new Set([...clock.stamped, ...clock.passive]), '')
}

function isSame(a: unknown, b: unknown, ignored: ReadonlySet<string>, path: string): boolean {
  if (!isObject(a) || !isObject(b)) return Object.is(a, b) || isSameNumber(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const prefix = path === '' ? '' : `${path}.`
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  for (const name of names) {
    const inner = `${prefix}${name}`
    if (!ignored.has(inner) && !isSame(own(a, name), own(b, name), ignored, inner)) return false
  }
  return true
}

/** Whether two numbers have the same JSON, such as 5 and 5n. */
function isSameNumber(a: unknown, b: unknown): boolean {
  return isNumber(a) && isNumber(b) && a <= b && a >= b
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function own(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}
