import { at, listAt, same } from './chart-snapshot.ts'

/** Something that one schema accepts and another rejects, drops or interprets differently. */
interface Narrowing {
  /**
   * `.spec.x` for the value itself, `.spec.x#maxLength` for one constraint on it; items are `[]`, free keys `*`.
   */
  readonly path: string
  readonly problem: string
}

/**
 * `definition`: a structural schema, whose unknown fields are dropped and whose defaults fill stored objects.
 * `values`: draft-07, which accepts unknown keys unless they are forbidden. Changed defaults are reported by
 * `checkDefaults`.
 */
type Dialect = 'definition' | 'values'

/** What `before` accepts and `after` does not. Empty for a schema that only accepts more. */
export function narrowings(
  before: unknown,
  after: unknown,
  dialect: Dialect,
): readonly Narrowing[] {
  return [...compare(before, after, { dialect, path: '' })]
}

interface Place {
  readonly dialect: Dialect
  readonly path: string
}

type Found = Generator<Narrowing>

function* compare(before: unknown, after: unknown, place: Place): Found {
  if (isOpen(after)) return
  const lost = lostTypes(before, after)
  if (lost.length > 0) {
    yield { path: place.path, problem: `it no longer accepts ${lost.join(' or ')}` }
    return
  }
  yield* choices(before, after, place)
  yield* limits(before, after, place)
  yield* texts(before, after, place)
  yield* conditions(before, after, place)
  yield* rules(before, after, place)
  if (place.dialect === 'definition') yield* meanings(before, after, place)
  yield* demandedFields(before, after, place)
  yield* fields(before, after, place)
  if (at(after, 'items') !== undefined) {
    const here = { ...place, path: `${place.path}[]` }
    yield* compare(at(before, 'items') ?? {}, at(after, 'items'), here)
  }
}

const annotations = ['default', 'description', 'title']

/** Whether the schema accepts and keeps any value. */
function isOpen(schema: unknown): boolean {
  return Object.keys(schema ?? {}).every((keyword) => annotations.includes(keyword))
}

const everyType = ['array', 'boolean', 'null', 'number', 'object', 'string']

function lostTypes(before: unknown, after: unknown): readonly string[] {
  const now = typesOf(after)
  if (now === undefined) return []
  const then = typesOf(before)
  const takes = (type: string) =>
    now.includes(type) || (type === 'integer' && now.includes('number'))
  if (then !== undefined) return then.filter((type) => !takes(type))
  return everyType.every(takes) ? [] : [`anything but ${now.join(' or ')}`]
}

/** The accepted types; undefined if all are. */
function typesOf(schema: unknown): readonly string[] | undefined {
  const type = at(schema, 'type')
  const nullable = at(schema, 'nullable') === true ? ['null'] : []
  if (at(schema, 'x-kubernetes-int-or-string') === true) return ['integer', 'string', ...nullable]
  if (Array.isArray(type)) return type.map(String)
  return typeof type === 'string' ? [type, ...nullable] : undefined
}

function* choices(before: unknown, after: unknown, { path }: Place): Found {
  const now = at(after, 'enum')
  if (!Array.isArray(now)) return
  const then = at(before, 'enum')
  if (!Array.isArray(then)) {
    yield {
      path: `${path}#enum`,
      problem: `it now accepts only ${now.map(formatValue).join(', ')}`,
    }
    return
  }
  const gone = then.filter((value) => !now.some((other) => same(value, other)))
  if (gone.length > 0) {
    yield {
      path: `${path}#enum`,
      problem: `it no longer accepts ${gone.map(formatValue).join(', ')}`,
    }
  }
}

const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const lower = ['minimum', 'minLength', 'minItems', 'minProperties']

function* limits(before: unknown, after: unknown, { path }: Place): Found {
  for (const keyword of [...upper, ...lower]) {
    const then = at(before, keyword)
    const now = at(after, keyword)
    if (now === undefined || (lower.includes(keyword) && isNoLimit(keyword, now))) continue
    const isTighter = upper.includes(keyword)
      ? Number(now) < Number(then ?? Number.POSITIVE_INFINITY)
      : Number(now) > Number(then ?? Number.NEGATIVE_INFINITY)
    if (isTighter) yield { path: `${path}#${keyword}`, problem: became(then, now) }
  }
}

/** Whether the limit has no effect: lengths are never negative. */
function isNoLimit(keyword: string, value: unknown): boolean {
  return keyword !== 'minimum' && value === 0
}

/** Constraints that cannot be compared: a new or changed one may reject what was accepted. */
const opaque = [
  'pattern',
  'format',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'const',
  'propertyNames',
  'x-kubernetes-embedded-resource',
]

function* texts(before: unknown, after: unknown, { path }: Place): Found {
  for (const keyword of opaque) {
    const then = at(before, keyword)
    const now = at(after, keyword)
    if (now === undefined || now === false || same(then, now)) continue
    // Every integer of an API has 64 bits.
    if (keyword === 'format' && now === 'int64' && (then === undefined || then === 'int32'))
      continue
    yield { path: `${path}#${keyword}`, problem: became(then, now) }
  }
}

function* conditions(before: unknown, after: unknown, { path }: Place): Found {
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not']) {
    const then = at(before, keyword)
    const now = at(after, keyword)
    if (now === undefined || same(then, now)) continue
    const [more, fewer] = keyword === 'allOf' ? [then, now] : [now, then]
    const isWider = keyword === 'allOf' || (keyword === 'anyOf' && then !== undefined)
    if (isWider && contains(more, fewer)) continue
    yield { path: `${path}#${keyword}`, problem: 'the condition is new or has changed' }
  }
}

function contains(more: unknown, fewer: unknown): boolean {
  if (!Array.isArray(more) || !Array.isArray(fewer)) return false
  return fewer.every((one) => more.some((other) => same(one, other)))
}

/** Compares the expressions only: the message of a rule may change. */
function* rules(before: unknown, after: unknown, { path }: Place): Found {
  const expression = (rule: unknown) => String(at(rule, 'rule')).replaceAll(/\s+/g, ' ').trim()
  const then = new Set(listAt(before, 'x-kubernetes-validations').map(expression))
  for (const rule of listAt(after, 'x-kubernetes-validations').map(expression)) {
    if (!then.has(rule)) yield { path: `${path}#rule ${rule}`, problem: 'the rule is new' }
  }
}

/** Keywords that determine the meaning of absent fields and the merging of lists and maps, with their defaults. */
const meaning: Readonly<Record<string, unknown>> = {
  default: undefined,
  'x-kubernetes-list-type': 'atomic',
  'x-kubernetes-list-map-keys': undefined,
  'x-kubernetes-map-type': 'granular',
}

function* meanings(before: unknown, after: unknown, { path }: Place): Found {
  for (const [keyword, fallback] of Object.entries(meaning)) {
    const then = at(before, keyword) ?? fallback
    const now = at(after, keyword) ?? fallback
    if (!same(then, now)) yield { path: `${path}#${keyword}`, problem: became(then, now) }
  }
}

function* demandedFields(before: unknown, after: unknown, { dialect, path }: Place): Found {
  const then = listAt(before, 'required')
  for (const name of listAt(after, 'required').map(String)) {
    if (then.includes(name) || isFilled(at(after, 'properties', name), dialect)) continue
    yield { path: `${path}.${name}#required`, problem: 'it is now required' }
  }
}

/** Whether it is present although it is not set: by its default or, for a group of values, by theirs. */
function isFilled(schema: unknown, dialect: Dialect): boolean {
  if (at(schema, 'default') !== undefined) return true
  const parts = Object.values(at(schema, 'properties') ?? {})
  return dialect === 'values' && parts.length > 0 && parts.every((part) => isFilled(part, dialect))
}

function* fields(before: unknown, after: unknown, place: Place): Found {
  const then = propertiesOf(before)
  const now = propertiesOf(after)
  const othersThen = othersOf(before, place.dialect)
  const othersNow = othersOf(after, place.dialect)
  for (const [name, property] of Object.entries(then)) {
    const path = `${place.path}.${name}`
    const successor = now[name] ?? othersNow
    if (successor === undefined) yield { path, problem: removalProblem(place.dialect) }
    else yield* compare(property, successor, { ...place, path })
  }
  if (othersThen === undefined) return
  for (const [name, property] of Object.entries(now)) {
    if (Object.hasOwn(then, name)) continue
    yield* compare(othersThen, property, { ...place, path: `${place.path}.${name}` })
  }
  const path = `${place.path}.*`
  if (othersNow === undefined) yield { path, problem: removalProblem(place.dialect) }
  else yield* compare(othersThen, othersNow, { ...place, path })
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (at(schema, 'properties') ?? {}) as Record<string, unknown>
}

/** The schema of keys that are not listed; undefined if there can be none. */
function othersOf(schema: unknown, dialect: Dialect): unknown {
  const others = at(schema, 'additionalProperties')
  if (typeof others === 'object' && others !== null) return others
  if (others === true || at(schema, 'x-kubernetes-preserve-unknown-fields') === true) return {}
  const types = typesOf(schema)
  const mayBeMap = types === undefined || types.includes('object')
  return dialect === 'values' && others === undefined && mayBeMap ? {} : undefined
}

function removalProblem(dialect: Dialect): string {
  return dialect === 'definition'
    ? 'the field was removed; its content is lost at the next write'
    : 'the value was removed'
}

function became(then: unknown, now: unknown): string {
  return then === undefined
    ? `it is now ${formatValue(now)}`
    : `${formatValue(then)} became ${formatValue(now)}`
}

function formatValue(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
