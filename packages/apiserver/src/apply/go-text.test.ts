import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { goJson, goQuoted } from './go-text.ts'

describe('goJson', () => {
  const rows: readonly { because: string; value: Json; text: string }[] = [
    {
      because: 'members are sorted',
      value: { b: 1, a: [true, null] },
      text: '{"a":[true,null],"b":1}',
    },
    {
      because: 'HTML and the line separators are escaped',
      value: '<a&b>\u2028',
      text: '"\\u003ca\\u0026b\\u003e\\u2028"',
    },
    {
      because: 'only the common controls have short forms',
      value: '\b\f\n\t',
      text: '"\\u0008\\u000c\\n\\t"',
    },
    { because: 'a backslash before a b stays one', value: '\\b"', text: '"\\\\b\\""' },
    {
      because: 'large integers keep their digits',
      value: 9223372036854775807n,
      text: '9223372036854775807',
    },
  ]
  test.each(rows)('$because', ({ value, text }) => expect(goJson(value)).toBe(text))
})

describe('goQuoted', () => {
  const rows = [
    { because: 'quotes and backslashes are escaped', text: 'a"\\', quoted: '"a\\"\\\\"' },
    {
      because: 'controls have the short or the hexadecimal form',
      text: '\u0007\n\u0001\u007f',
      quoted: '"\\a\\n\\x01\\x7f"',
    },
    { because: 'HTML stays readable', text: '<é>', quoted: '"<é>"' },
  ]
  test.each(rows)('$because', ({ text, quoted }) => expect(goQuoted(text)).toBe(quoted))
})
