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
