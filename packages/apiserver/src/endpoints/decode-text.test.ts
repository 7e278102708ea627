import { describe, expect, test } from 'vitest'
import { decodeJson, decodeYaml } from './decode-text.ts'

const json = (text: string) => decodeJson(Buffer.from(text))
const yaml = (text: string) => decodeYaml(Buffer.from(text))

describe('decodeJson', () => {
  test('keeps large integers and tells what is set twice', () => {
    expect(json('{"a":9223372036854775807,"b":{"c":1,"c":2}}')).toEqual({
      value: { a: 9223372036854775807n, b: { c: 2 } },
      duplicates: ['duplicate field "b.c"'],
      isYaml: false,
    })
  })

  test.each([
    { because: 'what is no JSON', text: '{', says: 'unexpected end of JSON input' },
    {
      because: 'a well without a bottom',
      text: '['.repeat(100_000) + ']'.repeat(100_000),
      says: 'exceeded max depth',
    },
  ])('refuses $because', ({ text, says }) => {
    expect(() => json(text)).toThrow(new SyntaxError(says))
  })
})

describe('decodeYaml', () => {
  test.each([
    { because: 'half a character', bytes: [0x61, 0xc3], says: 'incomplete UTF-8 octet sequence' },
    {
      because: 'what cannot begin a character',
      bytes: [0x61, 0xa0],
      says: 'invalid leading UTF-8 octet',
    },
    {
      because: 'what cannot go on with one',
      bytes: [0x61, 0xc3, 0x28],
      says: 'invalid trailing UTF-8 octet',
    },
    {
      because: 'a character that is longer than it must be',
      bytes: [0xc0, 0x80],
      says: 'invalid length of a UTF-8 sequence',
    },
    {
      because: 'half of a pair',
      bytes: [0xed, 0xa0, 0x80],
      says: 'invalid Unicode character',
    },
    {
      because: 'a control character',
      bytes: [0x0a, 0x0a, 0x7f],
      says: 'control characters are not allowed',
    },
  ])('refuses $because', ({ bytes, says }) => {
    expect(() => decodeYaml(Buffer.from(bytes))).toThrow(new SyntaxError(`yaml: ${says}`))
  })

  test.each([
    {
      because: 'a pair of escapes for one character',
      text: '{"a": "\\ud83d\\ude00"}',
      says: 'yaml: found invalid Unicode character escape code',
    },
    {
      because: 'an escaped slash',
      text: 'a: b\nc: "\\/"\n',
      says: 'yaml: line 2: found unknown escape character',
    },
    {
      because: 'a key that goes on and on',
      text: `{"${'k'.repeat(1023)}": 1}`,
      says: "yaml: did not find expected ',' or '}'",
    },
  ])('refuses $because, which JSON allows', ({ text, says }) => {
    expect(() => yaml(text)).toThrow(new SyntaxError(says))
  })

  test('takes every other escape, and any character that is not escaped', () => {
    const text = `{"a": "\\u00e9\\\\ud800 \u{1f600}", "${'k'.repeat(1022)}": "${'v'.repeat(2000)}"}`
    expect(yaml(text).value).toMatchObject({ a: '\u00e9\\ud800 \u{1f600}' })
    expect(yaml("a: '\\ud800'").value).toEqual({ a: '\\ud800' })
  })

  test.each(['"', '\\', '\\"', '"\n'])('takes half a megabyte of %j in its stride', (part) => {
    const value = { a: part.repeat(250_000) }
    expect(yaml(JSON.stringify(value)).value).toEqual(value)
  })

  test('reads scalars as Kubernetes does', () => {
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

  test('tells what is set twice', () => {
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
      because: 'a small text that would become a huge one',
      text: `a: &a [x, x]\n${'bcdefghij'.replaceAll(/./g, (name) => `${name}: &${name} [*${String.fromCharCode(name.charCodeAt(0) - 1)}, *${String.fromCharCode(name.charCodeAt(0) - 1)}]\n`)}`,
    },
    { because: 'what is no YAML', text: 'a: b: c' },
    { because: 'a merge of what is no map', text: 'a: {<<: 7}' },
    { because: 'a map as a key', text: '? {a: 1}\n: b\n' },
    { because: 'numbers that JSON does not have', text: 'a: .inf' },
  ])('refuses $because', ({ text }) => {
    expect(() => yaml(text)).toThrow(SyntaxError)
  })
})
