import type { Json, Schema } from '@agents/crd'
import { compileSchema } from '@agents/crd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileWithAjv } from '../../support/kinds/ajv-schema.ts'

/**
 * An independent validator must accept and refuse the same values wherever JSON Schema and Kubernetes agree: no
 * formats, no fractional bounds, no null among enumerations.
 */
const name = fc.constantFrom('a', 'b', 'constructor', 'x.y')
const text = fc.constantFrom('', 'a', 'ab', 'abc', '😀', 'é😀')
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      text,
      fc.integer({ min: -3, max: 9 }),
      fc.constantFrom(0.5, 2.5),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value

const small = fc.nat(3)
const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .record(
      {
        minLength: small,
        maxLength: small,
        pattern: fc.constantFrom('^a', 'b$', '^[a-c]+$', 'é'),
        enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: [] },
    )
    .map((rules) => ({ type: 'string' as const, ...rules }) as Schema),
  fc
    .record(
      {
        minimum: fc.integer({ min: -2, max: 3 }),
        maximum: fc.integer({ min: 0, max: 8 }),
        multipleOf: fc.integer({ min: 1, max: 3 }),
        exclusive: fc.boolean(),
        type: fc.constantFrom('integer' as const, 'number' as const),
      },
      { requiredKeys: ['type'] },
    )
    .map(({ exclusive, ...rules }) => {
      const isExclusive = exclusive === true && rules.minimum !== undefined
      return { ...rules, ...(isExclusive ? { exclusiveMinimum: true } : {}) } as Schema
    }),
  fc.constant<Schema>({ type: 'boolean' }),
  fc.constant<Schema>({ 'x-kubernetes-int-or-string': true }),
  fc.constant<Schema>({ 'x-kubernetes-preserve-unknown-fields': true }),
)

const branch: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .array(name, { minLength: 1, maxLength: 2 })
    .map((required) => ({ required: [...new Set(required)] })),
  small.map((minLength) => ({ minLength })),
  small.map((minimum) => ({ minimum })),
  small.map((maxItems) => ({ maxItems })),
  fc.tuple(name, small).map(([key, minLength]) => ({ properties: { [key]: { minLength } } })),
)
const branches = fc.array(branch, { minLength: 1, maxLength: 3 })
const junctors = fc.record(
  { anyOf: branches, oneOf: branches, allOf: branches, not: branch },
  { requiredKeys: [] },
)

const schema: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .record(
            {
              properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
              required: fc.uniqueArray(name, { maxLength: 2 }),
              minProperties: small,
              maxProperties: small,
            },
            { requiredKeys: ['properties'] },
          )
          .map((rules) => ({ type: 'object' as const, ...rules }) as Schema),
        tie('schema').map(
          (additionalProperties): Schema => ({ type: 'object', additionalProperties }),
        ),
        fc
          .record(
            { items: tie('schema'), minItems: small, maxItems: small },
            { requiredKeys: ['items'] },
          )
          .map((rules) => ({ type: 'array' as const, ...rules }) as Schema),
      ),
      junctors,
      fc.boolean(),
    )
    .map(([base, more, nullable]): Schema => {
      // Kubernetes checks only the type of null; JSON Schema evaluates allOf, anyOf, oneOf and not too.
      if (base.type === undefined) return base
      const mayBeNull = nullable && base.enum === undefined && Object.keys(more).length === 0
      return { ...base, ...more, ...(mayBeNull ? { nullable } : {}) }
    }),
})).schema

// A generous timeout: the work is bounded by the number of runs, but the machine may be busy.
describe('an independent validator', { timeout: 120_000 }, () => {
  test('accepts and refuses the same values', () => {
    let refused = 0
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 5, maxLength: 10 }), (candidate, values) => {
        const compiled = compileSchema({ type: 'object', properties: { x: candidate } })
        const ajv = compileWithAjv(
          { type: 'object', properties: { x: candidate } },
          { ownProperties: true },
        )
        for (const x of values) {
          const isValid = compiled.validate({ x }).length === 0
          if (!isValid) refused += 1
          expect({ x, isValid }).toEqual({ x, isValid: ajv({ x }) })
        }
      }),
      { numRuns: 150 },
    )
    expect(refused).toBeGreaterThan(100)
  })
})
