import { expect, test } from 'vitest'
import { jsonbText } from './jsonb-text.ts'

test.each([
  { because: 'plain text stays', value: { a: 'é\n"' }, text: '{"a":"é\\n\\""}' },
  { because: 'jsonb has no NUL', value: 'a\u0000b', text: '"a\\ufffdb"' },
  { because: 'jsonb has no half characters', value: 'a\ud83d', text: '"a\\ufffd"' },
  { because: 'a whole character is two halves', value: '🐄', text: '"🐄"' },
  { because: 'a backslash is no escape of what follows', value: '\\u0000', text: '"\\\\u0000"' },
  { because: 'large integers stay exact', value: 2n ** 60n, text: '1152921504606846976' },
])('$because', ({ value, text }) => {
  expect(jsonbText(value)).toBe(text)
})
