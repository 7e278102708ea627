import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../field-error/field-error.ts'
import { compilePattern } from '../format/pattern.ts'
import { prune } from '../pruning/prune.ts'
import { isJsonObject, type JsonObject, setOwnValue } from '../schema/json-value.ts'
import { subSchemas } from '../schema/nesting.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { report } from '../validation/report.ts'
import { compileSchema } from './compile-schema.ts'
import { arbitraryCase, copyOf } from './testing/arbitrary-schema.ts'

const runs = { numRuns: 250 }

/** The value after one, two and more passes of defaulting. */
function defaultedTimes(count: number, schema: Schema, value: Json): Json[] {
  const compiled = compileSchema(schema)
  const passes: Json[] = []
  let current = value
  for (let pass = 0; pass < count; pass += 1) {
    current = copyOf(current)
    compiled.applyDefaults(current)
    passes.push(current)
  }
  return passes
}

function defaultsOf(schema: Schema): Json[] {
  const below = subSchemas(schema).flatMap(({ schema: child }) => defaultsOf(child))
  return schema.default === undefined ? below : [schema.default, ...below]
}

function containsNull(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return value === null
  return Object.values(value).some(containsNull)
}

function withoutNulls(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item) ?? null)
  if (!isJsonObject(value)) return value
  const copy: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) setOwnValue(copy, key, withoutNulls(member) ?? null)
  }
  return copy
}

// The timeout is long because the machine may be busy; the number of runs bounds the work.
describe('compiled schemas', { timeout: 120_000 }, () => {
  // As in kube-apiserver, nulls are dropped before defaults are set. A null in a default is therefore dropped by the
  // second pass only.
  test('defaulting twice is defaulting once, apart from nulls in defaults', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const [once, twice] = defaultedTimes(3, schema, value)
        if (defaultsOf(schema).some(containsNull)) {
          expect(withoutNulls(twice)).toEqual(withoutNulls(once))
        } else {
          expect(twice).toEqual(once)
        }
      }),
      runs,
    )
  })

  test('defaulting three times is defaulting twice', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const [, twice, thrice] = defaultedTimes(3, schema, value)
        expect(thrice).toEqual(twice)
      }),
      {
        ...runs,
        // Random schemas rarely have a null in a default that is valid.
        examples: [
          [
            {
              schema: {
                type: 'object',
                properties: {
                  a: {
                    type: 'object',
                    default: { b: { c: null } },
                    additionalProperties: {
                      type: 'object',
                      additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
                    },
                  },
                },
              },
              value: {},
            },
          ],
        ],
      },
    )
  })

  test('pruning twice drops nothing more', () => {
    fc.assert(
      fc.property(arbitraryCase, fc.boolean(), ({ schema, value }, isResourceRoot) => {
        const compiled = compileSchema(schema)
        const once = copyOf(value)
        compiled.prune(once, { isResourceRoot })
        const twice = copyOf(once)
        expect(compiled.prune(twice, { isResourceRoot })).toEqual([])
        expect(twice).toEqual(once)
      }),
      runs,
    )
  })

  test('the quick scan finds everything that pruning drops', () => {
    fc.assert(
      fc.property(arbitraryCase, fc.boolean(), ({ schema, value }, isResourceRoot) => {
        const exact = copyOf(value)
        const dropped = prune(schema, exact, isResourceRoot)
        const ours = copyOf(value)
        expect(compileSchema(schema).prune(ours, { isResourceRoot })).toEqual(dropped)
        expect(ours).toEqual(exact)
      }),
      runs,
    )
  })

  test('the compiled check accepts only values that the exact report finds valid', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const context = { fieldPrefix: '', pattern: compilePattern }
        const exact = report(schema, value, '', context, undefined).findings.length === 0
        const isValid = compileSchema(schema).validate(value).length === 0
        expect(isValid && !exact).toBe(false)
      }),
      runs,
    )
  })

  test('validating a defaulted value gives the same errors each time, and after a round trip through JSON', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const compiled = compileSchema(schema)
        const completed = copyOf(value)
        compiled.applyDefaults(completed)
        const errors = compiled.validate(completed).map(formatFieldError)
        expect(compiled.validate(completed).map(formatFieldError)).toEqual(errors)
        expect(compiled.validate(copyOf(completed)).map(formatFieldError)).toEqual(errors)
        expect(compileSchema(schema).validate(completed).map(formatFieldError)).toEqual(errors)
        const text = JSON.stringify(completed, (_, member) =>
          typeof member === 'bigint' ? 0 : member,
        )
        const plain = JSON.parse(text) as Json
        const again = JSON.parse(JSON.stringify(plain)) as Json
        expect(compiled.validate(again)).toEqual(compiled.validate(plain))
      }),
      runs,
    )
  })

  test('an update that changes nothing has no more errors than a create', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const compiled = compileSchema(schema)
        const fresh = compiled.validate(value).length
        expect(compiled.validate(value, { old: copyOf(value) }).length).toBeLessThanOrEqual(fresh)
      }),
      runs,
    )
  })
})
