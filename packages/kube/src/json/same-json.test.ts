import { expect, test } from 'vitest'
import { sameJson } from './same-json.ts'

test.each<{ because: string; a: unknown; b: unknown; equal: boolean }>([
  {
    because: 'the order of members does not count',
    a: { a: 1, b: 2 },
    b: { b: 2, a: 1 },
    equal: true,
  },
  { because: 'the order of items counts', a: [1, 2], b: [2, 1], equal: false },
  { because: 'a large and a small integer may be the same', a: 5n, b: 5, equal: true },
  { because: 'a string is not a number', a: 5n, b: '5', equal: false },
  { because: 'an absent member is not null', a: { a: null }, b: { b: null }, equal: false },
  { because: 'a member that is undefined is absent', a: { a: undefined }, b: {}, equal: true },
  {
    because: 'large integers are compared exactly',
    a: 9007199254740993n,
    b: 9007199254740992,
    equal: false,
  },
  { because: 'a list is not an object', a: [], b: {}, equal: false },
  {
    because: 'the second value has an additional member',
    a: { a: 1 },
    b: { a: 1, b: 1 },
    equal: false,
  },
  {
    because: 'the first value has an additional member',
    a: { a: 1, b: 1 },
    b: { a: 1 },
    equal: false,
  },
  {
    because: 'a member may have the name of an inherited property',
    a: { toString: 1 },
    b: {},
    equal: false,
  },
])('$because', ({ a, b, equal }) => {
  expect(sameJson(a, b)).toBe(equal)
})
