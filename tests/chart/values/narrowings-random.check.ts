import { narrowings } from '@agents/chart-tools'
import type { Json, Schema } from '@agents/crd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { within, written } from '../schema-writes.ts'

describe('for any two schemas', () => {
  const limit = fc.integer({ min: 0, max: 3 })
  const some = (arbitraries: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(arbitraries, { requiredKeys: [] })
  const schema = fc.letrec<{ any: Schema }>((tie) => {
    const named = fc.dictionary(fc.constantFrom('a', 'b'), tie('any') as fc.Arbitrary<Schema>)
    const of = (type: string, more: Record<string, fc.Arbitrary<unknown>>) =>
      some({ nullable: fc.boolean(), ...more }).map((rest) => ({ type, ...rest }) as Schema)
    return {
      any: fc.oneof(
        { depthSize: 'small' },
        of('string', {
          enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'cc'), { minLength: 1 }),
          maxLength: limit,
          minLength: limit,
        }),
        of('integer', { minimum: limit, maximum: limit, multipleOf: fc.constantFrom(1, 2) }),
        of('object', {
          properties: named,
          required: fc.subarray(['a', 'b']),
          minProperties: limit,
        }),
        of('object', { additionalProperties: tie('any'), maxProperties: limit }),
        of('array', { items: tie('any'), maxItems: limit }).map(
          (list): Schema => ({ ...list, items: list.items ?? { type: 'string' } }),
        ),
        fc.constant<Schema>({
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
        }),
      ),
    }
  }).any
  const value = fc.letrec<{ any: Json }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>('', 'a', 'b', 'cc', 0, 1, 2, 3, null),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any') as fc.Arbitrary<Json>),
      fc.array(tie('any') as fc.Arbitrary<Json>, { maxLength: 3 }),
    ),
  })).any

  test('values that are reported as compatible are accepted and kept', () => {
    let compared = 0
    fc.assert(
      fc.property(schema, schema, fc.array(value, { minLength: 20 }), (before, after, values) => {
        for (const [older, newer] of [
          [before, after],
          [before, before],
        ] as const) {
          if (narrowings(within(older), within(newer), 'definition').length > 0) continue
          for (const x of values) {
            const then = written(within(older), { x })
            if (then.errors.length > 0) continue
            compared += 1
            // Compared with what was stored, which is what the newer schema reads.
            expect(written(within(newer), then.object)).toEqual(then)
          }
        }
      }),
      { numRuns: 150 },
    )
    expect(compared).toBeGreaterThan(100)
  })
})
