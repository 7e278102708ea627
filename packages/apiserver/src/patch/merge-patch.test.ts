import type { Json } from '@agents/crd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyMergePatch } from './merge-patch.ts'

describe('a merge patch', () => {
  test.each<{ because: string; from: Json; patch: Json; to: Json }>([
    {
      because: 'members merge, deeply',
      from: { a: { b: 1, c: 2 } },
      patch: { a: { c: 3 } },
      to: { a: { b: 1, c: 3 } },
    },
    { because: 'null removes', from: { a: 1, b: 2 }, patch: { a: null }, to: { b: 2 } },
    {
      because: 'null for a missing field has no effect',
      from: {},
      patch: { a: { b: null } },
      to: { a: {} },
    },
    { because: 'lists are replaced whole', from: { a: [1, 2] }, patch: { a: [3] }, to: { a: [3] } },
    { because: 'null inside a list is a value', from: {}, patch: { a: [null] }, to: { a: [null] } },
    {
      because: 'an object replaces a scalar',
      from: { a: 1 },
      patch: { a: { b: 2 } },
      to: { a: { b: 2 } },
    },
    {
      because: 'a patch that is not an object replaces everything',
      from: { a: 1 },
      patch: 'x',
      to: 'x',
    },
  ])('$because', ({ from, patch, to }) => {
    const before = structuredClone(from)
    expect(applyMergePatch(from, patch)).toEqual(to)
    expect(from).toEqual(before)
  })

  test('is idempotent', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = applyMergePatch(target, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
      }),
    )
  })
})
