import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergePatchBetween } from './merge-patch.ts'

describe('the patch between two objects', () => {
  test.each([
    {
      because: 'nothing changed, so there is none',
      before: { a: 1 },
      after: { a: 1 },
      patch: undefined,
    },
    { because: 'a value changed', before: { a: 1, b: 2 }, after: { a: 1, b: 3 }, patch: { b: 3 } },
    { because: 'null removes', before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    {
      because: 'undefined is absent',
      before: { a: 1 },
      after: { a: undefined },
      patch: { a: null },
    },
    { because: 'absent stays absent', before: {}, after: { a: undefined }, patch: undefined },
    {
      because: 'only the inner field is sent',
      before: { a: { b: 1, c: 2 } },
      after: { a: { b: 1, c: 3 } },
      patch: { a: { c: 3 } },
    },
    {
      because: 'lists are sent whole',
      before: { a: [1, 2] },
      after: { a: [1, 3] },
      patch: { a: [1, 3] },
    },
    {
      because: 'equal lists are not sent',
      before: { a: [{ b: 1 }] },
      after: { a: [{ b: 1 }] },
      patch: undefined,
    },
    {
      because: 'a longer list is another list',
      before: { a: [1] },
      after: { a: [1, 2] },
      patch: { a: [1, 2] },
    },
    {
      because: 'an object replaces a value',
      before: { a: 1 },
      after: { a: { b: 1 } },
      patch: { a: { b: 1 } },
    },
    {
      because: 'a value replaces an object',
      before: { a: { b: 1 } },
      after: { a: 1 },
      patch: { a: 1 },
    },
    { because: 'an empty object appears', before: {}, after: { a: {} }, patch: { a: {} } },
    {
      because: 'large integers are compared as numbers',
      before: { a: 2n ** 60n },
      after: { a: 2n ** 60n },
      patch: undefined,
    },
  ])('$because', ({ before, after, patch }) => {
    expect(mergePatchBetween(before, after)).toEqual(patch)
  })
})

/** RFC 7386, section 2, as it stands there. */
const apply = (target: unknown, patch: unknown): unknown => {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result = new Map(isObject ? Object.entries(target) : [])
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name)
    else result.set(name, apply(result.get(name), value))
  }
  return Object.fromEntries(result)
}

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, 1, '', 'x', true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true })

test('applied as RFC 7386 says, the patch turns the one into the other', () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      expect(apply(before, mergePatchBetween(before, after) ?? {})).toEqual(after)
    }),
    { numRuns: 1000 },
  )
})
