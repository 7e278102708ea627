import { stringifyJson } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findDuplicateKeys } from './duplicate-keys.ts'
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

  test('refuses what is not JSON', () => {
    expect(() => parseBoundedJson('{"a":12345678901234567,}')).toThrow(SyntaxError)
    expect(() => parseBoundedJson('')).toThrow(SyntaxError)
  })

  test('refuses nesting that would exhaust the stack of whoever walks it', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parseBoundedJson(nested(1000))).not.toThrow()
    expect(() => parseBoundedJson(nested(1001))).toThrow('exceeded max depth')
    expect(() => parseBoundedJson(nested(1_000_000))).toThrow('exceeded max depth')
    expect(() => parseBoundedJson(JSON.stringify('\\"[['.repeat(5000)))).not.toThrow()
  })
})

test('what is written is read back the same, large integers included', () => {
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
      // A double of integral value may be read as the bigint of the same value.
      expect(stringifyJson(read)).toBe(stringifyJson(value))
    }),
  )
})

describe('findDuplicateKeys', () => {
  const cases: { text: string; paths: string[]; because: string }[] = [
    { text: '{"a":1,"b":{"a":2}}', paths: [], because: 'the same name in two objects is none' },
    { text: '{"a":1,"a":2}', paths: ['a'], because: 'at the top there is no dot' },
    { text: '{"a":1,"a":2,"a":3}', paths: ['a'], because: 'a path is named once' },
    {
      text: '{"spec":{"c":[{"i":1},{"i":1,"i":2}]}}',
      paths: ['spec.c[1].i'],
      because: 'list items are named by index',
    },
    { text: '[[{"a":1,"a":1}]]', paths: ['[0][0].a'], because: 'lists of lists too' },
    { text: '{"a\\u0062":1,"ab":2}', paths: ['ab'], because: 'escapes do not hide a name' },
    { text: '{"a":"b","b":"a","c":["a","a"]}', paths: [], because: 'values are not names' },
    {
      text: '{"a\\\\":"\\"a\\\\","x":"{\\"a\\\\"}',
      paths: [],
      because: 'escaped quotes end nothing',
    },
    {
      text: '{"a":{"x":1,"x":1},"a":{"x":1,"x":1}}',
      paths: ['a.x', 'a'],
      because: 'in the order in which they come up',
    },
  ]
  test.each(cases)('$text: $because', ({ text, paths }) => {
    expect(findDuplicateKeys(text)).toEqual(paths)
    expect(findDuplicateKeys(Buffer.from(text))).toEqual(paths)
  })

  test('stops at a hundred', () => {
    const twice = Array.from({ length: 300 }, (_, i) => `"f${i >> 1}":0`)
    expect(findDuplicateKeys(`{${twice.join(',')}}`)).toHaveLength(100)
  })
})
