import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../field-error.ts'
import { compilePattern } from '../format/pattern.ts'
import { prune } from '../pruning/prune.ts'
import type { Json } from '../schema.ts'
import { report } from '../validation/report.ts'
import { compileSchema } from './compile.ts'
import { arbitraryCase, copyOf } from './testing/arbitrary-schema.ts'

const runs = { numRuns: 250 }

// Generous: the work is bounded by the number of runs, the machine may be busy.
describe('compiled schemas', { timeout: 120_000 }, () => {
  test('defaulting twice is defaulting once', () => {
    fc.assert(
      fc.property(arbitraryCase, ({ schema, value }) => {
        const compiled = compileSchema(schema)
        const once = copyOf(value)
        compiled.applyDefaults(once)
        const twice = copyOf(once)
        compiled.applyDefaults(twice)
        expect(twice).toEqual(once)
      }),
      runs,
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

  test('the scan before pruning misses nothing that the exact walk drops', () => {
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

  test('the compiled check vouches only for what the exact walk finds valid', () => {
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

  test('validating a completed value gives the same answer each time, and after a trip through JSON', () => {
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

  test('an update that changes nothing is always accepted as far as ratcheting reaches', () => {
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
