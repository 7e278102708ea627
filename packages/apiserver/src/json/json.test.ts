import { stringifyJson } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBoundedJson } from './parse-bounded-json.ts'

describe('parseBoundedJson', () => {
  const cases: { text: string; value: unknown; because: string }[] = [
    { text: '9007199254740991', value: 9007199254740991, because: '2^53 − 1 is exact' },
    { text: '9007199254740993', value: 9007199254740993n, because: '2^53 + 1 is not' },
    { text: '-9223372036854775808', value: -9223372036854775808n, because: 'the smallest int64' },
    { text: '9223372036854775807', value: 9223372036854775807n, because: 'the largest int64' },
    { text: '9223372036854775808', value: 2 ** 63, because: 'beyond int64 is a float' },
    { text: '1234567890123456.5', value: 1234567890123456.5, because: 'a fraction stays a number' },
    { text: '12345678901234567e3', value: 12345678901234567e3, because: 'so does an exponent' },
    {
      text: '{"a":["12345678901234567"]}',
      value: { a: ['12345678901234567'] },
      because: 'digits in a string stay text',
    },
    {
      text: '{"__proto__":{"a":12345678901234567}}',
      value: JSON.parse('{"__proto__":{"a":0}}', (key, value) =>
        key === 'a' ? 12345678901234567n : value,
      ),
      because: 'a key named __proto__ is only a key',
    },
  ]
  test.each(cases)('$text: $because', ({ text, value }) => {
    expect(parseBoundedJson(text)).toStrictEqual(value)
    expect(parseBoundedJson(Buffer.from(text))).toStrictEqual(value)
  })

  test('rejects invalid JSON', () => {
    expect(() => parseBoundedJson('{"a":12345678901234567,}')).toThrow(SyntaxError)
    expect(() => parseBoundedJson('')).toThrow(SyntaxError)
  })

  test('rejects nesting that would exhaust the stack', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseBoundedJson(nested(1000))).not.toThrow()
    expect(() => parseBoundedJson(nested(1001))).toThrow('exceeded max depth')
    expect(() => parseBoundedJson(nested(1_000_000))).toThrow('exceeded max depth')
    expect(() => parseBoundedJson(JSON.stringify('\\"[['.repeat(5000)))).not.toThrow()
  })
})

test('values survive a round trip, including large integers', () => {
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number || 0),
      fc
        .bigInt(-(2n ** 63n), 2n ** 63n - 1n)
        .map((number) => (Number.isSafeInteger(Number(number)) ? Number(number) : number)),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(json, (value) => {
      const read = parseBoundedJson(stringifyJson(value))
      // A double with an integral value may be parsed as a bigint of the same value.
      expect(stringifyJson(read)).toBe(stringifyJson(value))
    }),
  )
})
