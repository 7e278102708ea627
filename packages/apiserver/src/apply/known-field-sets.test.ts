import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { setOf, union } from './field-set.ts'
import { createFieldTypes } from './field-type.ts'
import { encodeFields } from './fields-v1.ts'
import { createKnownFieldSets } from './known-field-sets.ts'

function owned(): Json {
  return { 'f:spec': { '.': {}, 'f:list': {} }, 'f:status': { 'f:phase': {} } }
}

describe('known field sets', () => {
  test('decode equal texts to the same set', () => {
    const sets = createKnownFieldSets()
    expect(sets.decode(owned())).toBe(sets.decode(owned()))
    expect(sets.decode({ 'f:spec': {} })).not.toBe(sets.decode(owned()))
  })

  test('share equal sets and their parts', () => {
    const sets = createKnownFieldSets()
    const made = () => setOf(['f:spec', 'f:list'], ['f:status'])
    expect(sets.encode(made())).toBe(sets.encode(made()))
    const more = sets.encode(setOf(['f:spec', 'f:list'], ['f:metadata', 'f:labels']))
    expect(more['f:spec']).toBe(sets.encode(made())['f:spec'])
    // The elements differ, although their concatenation is the same.
    expect(sets.encode(setOf(['f:a!0;3:f:b']))).not.toBe(sets.encode(setOf(['f:a'], ['f:b'])))
    expect(sets.decode(sets.encode(made()))).toBe(sets.decode({ ...sets.encode(made()) }))
  })

  test('work beyond the limit of the cache', () => {
    const sets = createKnownFieldSets()
    const nth = (at: number) => setOf([`f:${at}`, 'f:x'])
    for (let at = 0; at < 5_000; at++) sets.decode(sets.encode(nth(at)))
    expect(sets.encode(nth(0))).toEqual({ 'f:0': { 'f:x': {} } })
    expect(sets.decode({ 'f:1': { 'f:x': {} } })).toEqual(nth(1))
  })

  test('are limited by their size, not only by their number', () => {
    const sets = createKnownFieldSets()
    const large = (at: number) =>
      setOf(...Array.from({ length: 1_000 }, (_, n) => ['f:data', `f:${at}-${n}`]))
    const first = sets.encode(large(0))
    expect(sets.encode(large(0))).toBe(first)
    for (let at = 1; at < 200; at++) sets.encode(large(at))
    expect(sets.encode(large(0))).not.toBe(first)
    expect(sets.encode(large(0))).toEqual(first)
  })

  test('are not cached if they are very large', () => {
    const sets = createKnownFieldSets()
    const fields = Array.from({ length: 5_000 }, (_, n) => `f:${n}`)
    const huge = () => setOf(...fields.map((field) => ['f:data', field]))
    expect(sets.encode(huge())).not.toBe(sets.encode(huge()))
    expect(sets.encode(huge())).toEqual(sets.encode(huge()))
    expect(sets.decode(sets.encode(huge()))).toEqual(huge())
  })

  test('encode like sets that are not cached', () => {
    const sets = createKnownFieldSets()
    const set = sets.decode(owned())
    const grown = union(setOf(['f:spec', 'f:other'], ['f:status']), set)
    for (const each of [set, grown, set, setOf(['f:status'], ['f:status', 'f:phase'])]) {
      expect(JSON.stringify(sets.encode(each))).toBe(JSON.stringify(encodeFields(each)))
    }
    expect(sets.encode(set)).toBe(sets.encode(set))
  })

  test('follow changes of the schema', () => {
    const sets = createKnownFieldSets()
    const types = createFieldTypes()
    const schema = (mapType: 'atomic' | 'granular') =>
      types.ofSchema({
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            'x-kubernetes-map-type': mapType,
            properties: { list: { type: 'string' } },
          },
          status: { type: 'object', properties: { phase: { type: 'string' } } },
        },
      })
    const set = sets.decode(owned())
    expect(sets.reconcile(set, schema('granular'))).toBe(set)
    const whole = sets.reconcile(set, schema('atomic'))
    expect(sets.encode(whole)).toEqual({ 'f:spec': {}, 'f:status': { 'f:phase': {} } })
    expect(sets.reconcile(set, schema('granular'))).toBe(set)
  })
})
