import { at, listAt, same } from './chart-snapshot.ts'

/** Something that one schema takes and another refuses, drops or understands otherwise. */
export interface Narrowing {
  /** `.spec.x` for the value itself, `.spec.x#maxLength` for one demand on it; lists are `[]`, keys of one's own `*`. */
  readonly path: string
  readonly problem: string
}

/**
 * `definition`: a structural schema, whose unknown fields are dropped and whose defaults fill stored objects. `values`: draft-07, whose unknown
 * keys are taken unless it says otherwise, and whose defaults somebody else reports.
 */
export type Dialect = 'definition' | 'values'

/** What `before` takes and `after` does not. A schema that takes more gives nothing. */
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
    yield { path: place.path, problem: `it no longer takes ${lost.join(' or ')}` }
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

const words = ['default', 'description', 'title']

/** Whether it takes anything, and keeps it. */
function isOpen(schema: unknown): boolean {
  return Object.keys(schema ?? {}).every((keyword) => words.includes(keyword))
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

/** Undefined where anything goes. */
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
    yield { path: `${path}#enum`, problem: `it takes only ${now.map(shown).join(', ')} now` }
    return
  }
  const gone = then.filter((value) => !now.some((other) => same(value, other)))
  if (gone.length > 0) {
    yield { path: `${path}#enum`, problem: `it no longer takes ${gone.map(shown).join(', ')}` }
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

/** No text, list or map is shorter than nothing. */
function isNoLimit(keyword: string, value: unknown): boolean {
  return keyword !== 'minimum' && value === 0
}

/** Demands that cannot be compared: a new or another one may refuse what was taken. */
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
    // Every integer of an API is one of 64 bits.
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
    yield { path: `${path}#${keyword}`, problem: 'the condition is new or another one' }
  }
}

function contains(more: unknown, fewer: unknown): boolean {
  if (!Array.isArray(more) || !Array.isArray(fewer)) return false
  return fewer.every((one) => more.some((other) => same(one, other)))
}

/** Expressions alone: what a rule says to people may change. */
function* rules(before: unknown, after: unknown, { path }: Place): Found {
  const expression = (rule: unknown) => String(at(rule, 'rule')).replaceAll(/\s+/g, ' ').trim()
  const then = new Set(listAt(before, 'x-kubernetes-validations').map(expression))
  for (const rule of listAt(after, 'x-kubernetes-validations').map(expression)) {
    if (!then.has(rule)) yield { path: `${path}#rule ${rule}`, problem: 'the rule is new' }
  }
}

/** What an absent field stands for, and what of a list or map belongs together. */
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
    yield { path: `${path}.${name}#required`, problem: 'it is required now' }
  }
}

/** Whether it is there even when nobody sets it. The groups of values are there with their values. */
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
    if (successor === undefined) yield { path, problem: goneFrom(place.dialect) }
    else yield* compare(property, successor, { ...place, path })
  }
  if (othersThen === undefined) return
  for (const [name, property] of Object.entries(now)) {
    if (Object.hasOwn(then, name)) continue
    yield* compare(othersThen, property, { ...place, path: `${place.path}.${name}` })
  }
  const path = `${place.path}.*`
  if (othersNow === undefined) yield { path, problem: goneFrom(place.dialect) }
  else yield* compare(othersThen, othersNow, { ...place, path })
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (at(schema, 'properties') ?? {}) as Record<string, unknown>
}

/** The schema of keys that are not named; undefined where there are none. */
function othersOf(schema: unknown, dialect: Dialect): unknown {
  const others = at(schema, 'additionalProperties')
  if (typeof others === 'object' && others !== null) return others
  if (others === true || at(schema, 'x-kubernetes-preserve-unknown-fields') === true) return {}
  const types = typesOf(schema)
  const mayBeMap = types === undefined || types.includes('object')
  return dialect === 'values' && others === undefined && mayBeMap ? {} : undefined
}

function goneFrom(dialect: Dialect): string {
  return dialect === 'definition'
    ? 'the field is gone, and what it holds is lost at the next write'
    : 'the value is gone'
}

function became(then: unknown, now: unknown): string {
  return then === undefined ? `it is ${shown(now)} now` : `${shown(then)} became ${shown(now)}`
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
