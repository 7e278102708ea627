import { describe, expect, test } from 'vitest'
import { goPrinted } from './go-printed.ts'

describe('goPrinted', () => {
  test.each([
    { because: 'maps are sorted', value: { b: 1, a: 'x' }, text: 'map[a:x b:1]' },
    { because: 'lists have blanks between', value: [true, null, 'y'], text: '[true <nil> y]' },
    { because: 'large integers keep their digits', value: 2n ** 60n, text: '1152921504606846976' },
    { because: 'values nest', value: { a: { b: [{}] } }, text: 'map[a:map[b:[map[]]]]' },
  ])('$because', ({ value, text }) => {
    expect(goPrinted(value)).toBe(text)
  })
})
