import fc from 'fast-check'
import { isJsonObject, setOwnValue } from '../../schema/json-value.ts'
import type { Json, Schema } from '../../schema/schema.ts'
import { checkDefaults } from '../../structural/check-defaults.ts'

/** Generates random structural schemas with values that mostly, but not always, match them. */

const memberNames = ['a', 'b', 'name', 'x.y', 'constructor', '__proto__', 'kind', '"];throw 1//']
const sampleTexts = ['', 'a', 'abc', '😀é', '2024-01-01T00:00:00Z', 'zzzz', '10.0.0.1']

const name = fc.constantFrom(...memberNames)
const text = fc.constantFrom(...sampleTexts)
const scalar: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.integer({ min: -3, max: 9 }),
  fc.constantFrom(1.5, 9007199254740993n, 2n ** 70n),
  fc.boolean(),
  fc.constant(null),
)

const arbitraryValue: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(objectOf),
  ),
})).value

function objectOf<T extends Json>(
  entries: readonly (readonly [string, T])[],
): { [key: string]: T } {
  const object: { [key: string]: T } = {}
  for (const [key, value] of entries) setOwnValue(object, key, value)
  return object
}

const stringRules = fc.record(
  {
    minLength: fc.nat(3),
    maxLength: fc.nat(5),
    pattern: fc.constantFrom('^a', 'z$', '^[a-z]*$', '(?i)A', '";throw 1//'),
    format: fc.constantFrom('date-time', 'ipv4', 'nonsense'),
    enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const numberRules = fc.record(
  {
    minimum: fc.integer({ min: -2, max: 3 }),
    maximum: fc.integer({ min: 2, max: 8 }),
    exclusiveMinimum: fc.boolean(),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    format: fc.constantFrom('int32', 'int64', 'double'),
  },
  { requiredKeys: [] },
)
const nested: fc.Arbitrary<Schema> = fc.oneof(
  stringRules.map(({ minLength, pattern }) => ({
    ...(minLength === undefined ? {} : { minLength }),
    ...(pattern === undefined ? {} : { pattern }),
  })),
  fc.array(name, { maxLength: 2 }).map((required) => ({ required })),
  fc.integer({ min: -2, max: 8 }).map((minimum) => ({ minimum })),
)
const junctors = fc.record(
  { anyOf: branches(), oneOf: branches(), allOf: branches(), not: nested },
  { requiredKeys: [] },
)

function branches(): fc.Arbitrary<Schema[]> {
  return fc.array(nested, { minLength: 1, maxLength: 2 })
}

const arbitrarySchema: fc.Arbitrary<Schema> = fc
  .letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      leaf(),
      fc
        .tuple(
          fc.array(fc.tuple(name, tie('schema')), { maxLength: 4 }),
          fc.array(name, { maxLength: 1 }),
          fc.boolean(),
        )
        .map(([entries, required, preserve]) => ({
          type: 'object' as const,
          properties: propertiesOf(entries),
          required,
          ...(preserve ? { 'x-kubernetes-preserve-unknown-fields': true as const } : {}),
        })),
      tie('schema').map((additionalProperties) => ({
        type: 'object' as const,
        additionalProperties,
      })),
      fc
        .tuple(tie('schema'), fc.constantFrom('atomic' as const, 'set' as const))
        .map(([items, listType]) => ({
          type: 'array' as const,
          items,
          'x-kubernetes-list-type': listType,
        })),
    ),
  }))
  .schema.chain((schema) =>
    fc
      .record({ nullable: fc.boolean(), default: arbitraryValue, junctors }, { requiredKeys: [] })
      .map((extra) => ({
        ...schema,
        ...(extra.nullable === true ? { nullable: true } : {}),
        ...(extra.default === undefined ? {} : { default: extra.default }),
        ...extra.junctors,
      })),
  )

function leaf(): fc.Arbitrary<Schema> {
  return fc.oneof(
    stringRules.map((rules) => ({ type: 'string' as const, ...rules }) as Schema),
    numberRules.map((rules) => ({ type: 'integer' as const, ...rules }) as Schema),
    numberRules.map((rules) => ({ type: 'number' as const, ...rules }) as Schema),
    fc.constant<Schema>({ type: 'boolean', default: true }),
    fc.constant<Schema>({ 'x-kubernetes-int-or-string': true }),
    fc.constant<Schema>({ 'x-kubernetes-preserve-unknown-fields': true }),
  )
}

function propertiesOf(entries: readonly (readonly [string, Schema])[]): Record<string, Schema> {
  const properties: Record<string, Schema> = {}
  for (const [key, schema] of entries) {
    Object.defineProperty(properties, key, {
      value: schema,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return properties
}

/** A schema of a whole object with a value that was generated from it. */
export const arbitraryCase: fc.Arbitrary<{ schema: Schema; value: Json }> = fc
  .array(fc.tuple(name, arbitrarySchema), { minLength: 1, maxLength: 4 })
  .map((entries) => withValidDefaults({ type: 'object', properties: propertiesOf(entries) }))
  .chain((schema) => valueFor(schema).map((value) => ({ schema, value })))

/** Removes defaults that an API server would reject. */
function withValidDefaults(schema: Schema): Schema {
  const copy = { ...schema }
  if (schema.properties !== undefined) {
    copy.properties = propertiesOf(
      Object.entries(schema.properties).map(
        ([key, property]) => [key, withValidDefaults(property)] as const,
      ),
    )
  }
  if (schema.items !== undefined) copy.items = withValidDefaults(schema.items)
  if (typeof schema.additionalProperties === 'object') {
    copy.additionalProperties = withValidDefaults(schema.additionalProperties)
  }
  if (checkDefaults(copy, '').length > 0) delete copy.default
  return copy
}

function valueFor(schema: Schema): fc.Arbitrary<Json> {
  return fc.oneof(
    { weight: 6, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: arbitraryValue },
  )
}

function fitting(schema: Schema): fc.Arbitrary<Json> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'string':
      return text
    case 'integer':
    case 'number':
      return fc.integer({ min: -3, max: 9 })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valueFor(schema.items ?? {}), { maxLength: 3 })
    case 'object': {
      const known = Object.entries(schema.properties ?? {}).map(([key, property]) =>
        fc.option(valueFor(property), { nil: undefined }).map((value) => ({ key, value })),
      )
      const more = schema.additionalProperties
      const extra = fc.array(fc.tuple(name, typeof more === 'object' ? valueFor(more) : scalar), {
        maxLength: typeof more === 'object' ? 3 : 1,
      })
      return fc.tuple(fc.tuple(...known), extra).map(([members, additional]) => {
        const object = objectOf(additional)
        for (const { key, value } of members)
          if (value !== undefined) setOwnValue(object, key, value)
        return object
      })
    }
    default:
      return scalar
  }
}

/** Copies a value with its bigints and own `__proto__` members. Neither JSON nor structuredClone keeps both. */
export function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyOf)
  if (!isJsonObject(value)) return value
  return objectOf(Object.entries(value).map(([key, member]) => [key, copyOf(member)] as const))
}
