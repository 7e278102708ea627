import type { Json } from '@agents/crd'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyJson, equalJson, isObject, member, setMember } from './json-value.ts'

const json = fc.jsonValue() as fc.Arbitrary<Json>

describe('a JSON value', () => {
  test('equals its copy, which shares nothing with it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = copyJson(value)
        expect(equalJson(copy, value)).toBe(true)
        if (isObject(value)) expect(copy).not.toBe(value)
      }),
    )
  })

  test.each<{ because: string; a: unknown; b: unknown; equal: boolean }>([
    {
      because: 'the order of members does not count',
      a: { a: 1, b: 2 },
      b: { b: 2, a: 1 },
      equal: true,
    },
    { because: 'the order of items does', a: [1, 2], b: [2, 1], equal: false },
    { because: 'a large and a small integer may be the same', a: 5n, b: 5, equal: true },
    { because: 'text is no number', a: 5n, b: '5', equal: false },
    { because: 'an absent member is not null', a: { a: null }, b: { b: null }, equal: false },
    { because: 'a member that is undefined is not there', a: { a: undefined }, b: {}, equal: true },
    {
      because: 'large integers are compared exactly',
      a: 9007199254740993n,
      b: 9007199254740992,
      equal: false,
    },
    { because: 'a list is no object', a: [], b: {}, equal: false },
    { because: 'one has a member more', a: { a: 1 }, b: { a: 1, b: 1 }, equal: false },
  ])('$because', ({ a, b, equal }) => {
    expect(equalJson(a, b)).toBe(equal)
  })

  test('may have members that are called like those of every object', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}')
    const copy = copyJson(hostile) as Record<string, Json>
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(member({}, 'constructor')).toBeUndefined()
    const target: Record<string, Json> = {}
    setMember(target, '__proto__', 'x')
    expect(member(target, '__proto__')).toBe('x')
  })
})
