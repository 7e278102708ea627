import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from './parse-json.ts'
import { stringifyJson } from './stringify-json.ts'

describe('parseJson', () => {
  test.each([
    { because: '2^53 − 1 is exact', text: '{"a":9007199254740991}', value: { a: 2 ** 53 - 1 } },
    {
      because: '2^53 + 1 becomes a bigint',
      text: '{"a": 9007199254740993}',
      value: { a: 9007199254740993n },
    },
    {
      because: 'a large integer in a list',
      text: '[1,-9223372036854775808]',
      value: [1, -(2n ** 63n)],
    },
    {
      because: 'a large integer at the top level',
      text: '9223372036854775807',
      value: 2n ** 63n - 1n,
    },
    {
      because: 'an integer beyond int64 is a float',
      text: '[9223372036854775808]',
      value: [2 ** 63],
    },
    {
      because: 'a fraction stays a number',
      text: '[1234567890123456.5]',
      value: [1234567890123456.5],
    },
    {
      because: 'digits in a string stay text',
      text: '{"a":"b:12345678901234567"}',
      value: { a: 'b:12345678901234567' },
    },
  ])('$because', ({ text, value }) => {
    expect(parseJson(text)).toStrictEqual(value)
  })

  test('rejects invalid JSON, also next to a large number', () => {
    expect(() => parseJson('{"a":12345678901234567,}')).toThrow(SyntaxError)
    expect(() => parseJson('')).toThrow(SyntaxError)
  })
})

test('any value survives a round trip', () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 2, depthSize: 'xsmall' },
      fc.constant(null),
      fc.boolean(),
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc
        .bigInt(-(2n ** 63n), 2n ** 63n - 1n)
        .map((number) => (Number.isSafeInteger(Number(number)) ? Number(number) : number)),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(json, (value) => {
      expect(parseJson(stringifyJson(value))).toStrictEqual(value)
    }),
  )
})
