import { describe, expect, test } from 'vitest'
import { decodeJson, decodeYaml } from './decode-text.ts'

function json(text: string) {
  return decodeJson(Buffer.from(text))
}
function yaml(text: string) {
  return decodeYaml(Buffer.from(text))
}

describe('decodeJson', () => {
  test('keeps large integers and reports duplicate fields', () => {
    expect(json('{"a":9223372036854775807,"b":{"c":1,"c":2}}')).toMatchObject({
      value: { a: 9223372036854775807n, b: { c: 2 } },
      duplicates: ['duplicate field "b.c"'],
      isYaml: false,
    })
  })

  test.each([
    { because: 'invalid JSON', text: '{', message: 'unexpected end of JSON input' },
    {
      because: 'deep nesting',
      text: '['.repeat(100_000) + ']'.repeat(100_000),
      message: 'exceeded max depth',
    },
  ])('rejects $because', ({ text, message }) => {
    expect(() => json(text)).toThrow(new SyntaxError(message))
  })
})

describe('decodeYaml', () => {
  test.each([
    {
      because: 'an incomplete character',
      bytes: [0x61, 0xc3],
      message: 'incomplete UTF-8 octet sequence',
    },
    {
      because: 'an invalid first byte',
      bytes: [0x61, 0xa0],
      message: 'invalid leading UTF-8 octet',
    },
    {
      because: 'an invalid continuation byte',
      bytes: [0x61, 0xc3, 0x28],
      message: 'invalid trailing UTF-8 octet',
    },
    {
      because: 'an overlong encoding',
      bytes: [0xc0, 0x80],
      message: 'invalid length of a UTF-8 sequence',
    },
    {
      because: 'a lone surrogate',
      bytes: [0xed, 0xa0, 0x80],
      message: 'invalid Unicode character',
    },
    {
      because: 'a control character',
      bytes: [0x0a, 0x0a, 0x7f],
      message: 'control characters are not allowed',
    },
  ])('rejects $because', ({ bytes, message }) => {
    expect(() => decodeYaml(Buffer.from(bytes))).toThrow(new SyntaxError(`yaml: ${message}`))
  })

  test.each([
    {
      because: 'a surrogate pair of escapes',
      text: '{"a": "\\ud83d\\ude00"}',
      message: 'yaml: found invalid Unicode character escape code',
    },
    {
      because: 'an escaped slash',
      text: 'a: b\nc: "\\/"\n',
      message: 'yaml: line 2: found unknown escape character',
    },
    {
      because: 'a key that is too long',
      text: `{"${'k'.repeat(1023)}": 1}`,
      message: "yaml: did not find expected ',' or '}'",
    },
  ])('refuses $because, which JSON allows', ({ text, message }) => {
    expect(() => yaml(text)).toThrow(new SyntaxError(message))
  })

  test('accepts all other escapes and characters', () => {
    const text = `{"a": "\\u00e9\\\\ud800 \u{1f600}", "${'k'.repeat(1022)}": "${'v'.repeat(2000)}"}`
    expect(yaml(text).value).toMatchObject({ a: '\u00e9\\ud800 \u{1f600}' })
    expect(yaml("a: '\\ud800'").value).toEqual({ a: '\\ud800' })
  })

  test.each(['"', '\\', '\\"', '"\n'])('parses half a megabyte of %j quickly', (part) => {
    const value = { a: part.repeat(250_000) }
    expect(yaml(JSON.stringify(value)).value).toEqual(value)
  })

  test('parses scalars like Kubernetes', () => {
    expect(
      yaml('a: yes\nb: 0777\nc: 12:30\nd: 2026-01-01\ne: 9223372036854775807\nf: ~\n').value,
    ).toEqual({
      a: true,
      b: 511,
      c: '12:30',
      d: '2026-01-01',
      e: 9223372036854775807n,
      f: null,
    })
  })

  test('reports duplicate fields', () => {
    expect(yaml('a:\n  b: 1\n  b: 2\nc: [{d: 1, d: 2}]\n').duplicates).toEqual([
      'line 3: key "b" already set in map',
      'line 4: key "d" already set in map',
    ])
    expect(yaml('{"a": 1, "a": 2}').duplicates).toEqual(['line 1: key "a" already set in map'])
  })

  test.each([
    { because: 'a list that contains itself', text: '&a [*a]' },
    { because: 'an object that contains itself', text: 'a: &x {b: *x}' },
    {
      because: 'a small text that expands to a huge one',
      text: `a: &a [x, x]\n${'bcdefghij'.replaceAll(/./g, (name) => `${name}: &${name} [*${String.fromCharCode(name.charCodeAt(0) - 1)}, *${String.fromCharCode(name.charCodeAt(0) - 1)}]\n`)}`,
    },
    { because: 'invalid YAML', text: 'a: b: c' },
    { because: 'a merge key with a scalar', text: 'a: {<<: 7}' },
    { because: 'a map as a key', text: '? {a: 1}\n: b\n' },
    { because: 'a number that JSON lacks', text: 'a: .inf' },
  ])('rejects $because', ({ text }) => {
    expect(() => yaml(text)).toThrow(SyntaxError)
  })
})
