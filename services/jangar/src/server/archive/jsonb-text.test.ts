import { expect, test } from 'vitest'
import { jsonbText } from './jsonb-text.ts'

test.each([
  { because: 'ordinary text is unchanged', value: { a: 'é\n"' }, text: '{"a":"é\\n\\""}' },
  { because: 'NUL is replaced', value: 'a\u0000b', text: '"a\\ufffdb"' },
  { because: 'an unpaired surrogate is replaced', value: 'a\ud83d', text: '"a\\ufffd"' },
  { because: 'a surrogate pair is unchanged', value: '🐄', text: '"🐄"' },
  {
    because: 'an escaped backslash does not start another escape',
    value: '\\u0000',
    text: '"\\\\u0000"',
  },
  { because: 'large integers stay exact', value: 2n ** 60n, text: '1152921504606846976' },
])('$because', ({ value, text }) => {
  expect(jsonbText(value)).toBe(text)
})
