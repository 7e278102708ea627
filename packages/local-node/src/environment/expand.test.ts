import { expect, test } from 'vitest'
import { expand } from './expand.ts'

const known = (name: string) => ({ A: 'one', EMPTY: '', 'with.dot': 'dot' })[name]

test.each([
  { because: 'a variable becomes its value', text: 'x$(A)y', becomes: 'xoney' },
  { because: 'an empty one becomes nothing', text: '[$(EMPTY)]', becomes: '[]' },
  { because: 'what nobody knows stays', text: '$(B)', becomes: '$(B)' },
  { because: 'two dollars are one, and hide a variable', text: '$$(A) $$', becomes: '$(A) $' },
  { because: 'four are two', text: '$$$$', becomes: '$$' },
  {
    because: 'what the shell would expand is left to it',
    text: '$A $[A] $(',
    becomes: '$A $[A] $(',
  },
  { because: 'names may have dots', text: '$(with.dot)', becomes: 'dot' },
  { because: 'values are not expanded again', text: '$(A)$(A)', becomes: 'oneone' },
])('$because', ({ text, becomes }) => {
  expect(expand(text, known)).toBe(becomes)
})
