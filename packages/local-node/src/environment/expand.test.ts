import { expect, test } from 'vitest'
import { expand } from './expand.ts'

function known(name: string) {
  return { A: 'one', EMPTY: '', 'with.dot': 'dot' }[name]
}

test.each([
  { because: 'a variable becomes its value', text: 'x$(A)y', becomes: 'xoney' },
  { because: 'an empty variable becomes an empty string', text: '[$(EMPTY)]', becomes: '[]' },
  { because: 'an unknown variable is kept', text: '$(B)', becomes: '$(B)' },
  { because: 'two dollars are one, and escape a variable', text: '$$(A) $$', becomes: '$(A) $' },
  { because: 'four dollars are two', text: '$$$$', becomes: '$$' },
  {
    because: 'the syntax of the shell is kept',
    text: '$A $[A] $(',
    becomes: '$A $[A] $(',
  },
  { because: 'names may contain dots', text: '$(with.dot)', becomes: 'dot' },
  { because: 'values are not expanded again', text: '$(A)$(A)', becomes: 'oneone' },
])('$because', ({ text, becomes }) => {
  expect(expand(text, known)).toBe(becomes)
})
