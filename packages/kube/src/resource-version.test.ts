import { describe, expect, test } from 'vitest'
import { compareRevisions, isAtLeastRevision } from './resource-version.ts'

describe('isAtLeastRevision', () => {
  test.each([
    { because: 'numbers are compared as numbers', seen: '10', wanted: '9', atLeast: true },
    { because: 'the same version is enough', seen: '9', wanted: '9', atLeast: true },
    { because: 'a smaller number is not enough', seen: '99', wanted: '100', atLeast: false },
    { because: 'other texts only match themselves', seen: 'b', wanted: 'a', atLeast: false },
    { because: 'a text that is the same matches', seen: 'a', wanted: 'a', atLeast: true },
    {
      because: 'numbers beyond 2^53 are exact',
      seen: '9007199254740993',
      wanted: '9007199254740994',
      atLeast: false,
    },
    { because: 'no version is never enough', seen: undefined, wanted: '1', atLeast: false },
  ])('$because', ({ seen, wanted, atLeast }) => {
    expect(isAtLeastRevision(seen, wanted)).toBe(atLeast)
  })
})

describe('compareRevisions', () => {
  test('sorts decimal numbers of any length', () => {
    const sorted = ['9', '10', '99', '9007199254740993', '9007199254740994']
    expect(sorted.toReversed().toSorted(compareRevisions)).toEqual(sorted)
  })

  test('treats versions of another form as equal', () => {
    expect(compareRevisions('b', '1')).toBe(0)
  })
})
