import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyJson, equalJson } from './json-value.ts'

describe('copyJson and equalJson', () => {
  test('a copy is equal, shares nothing and keeps every key', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value)
        expect(equalJson(copy, value)).toBe(true)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })

  test('a key called __proto__ is data', () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":true}}')
    const copy = copyJson(value)
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}')
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test.each([
    { a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, equal: true },
    { a: { x: undefined }, b: {}, equal: true },
    { a: { x: null }, b: {}, equal: false },
    { a: [1, 2], b: [2, 1], equal: false },
    { a: [], b: {}, equal: false },
    { a: 9007199254740993n, b: 9007199254740993n, equal: true },
    { a: 9007199254740993n, b: 9007199254740992, equal: false },
    { a: '1', b: 1, equal: false },
  ])('$a and $b: $equal', ({ a, b, equal }) => {
    expect(equalJson(a, b)).toBe(equal)
  })
})
