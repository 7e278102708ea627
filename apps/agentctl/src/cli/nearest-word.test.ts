import { expect, test } from 'vitest'
import { nearestWord } from './nearest-word.ts'

const words = ['run', 'get', 'describe', 'logs', 'cancel', 'completion']

test.each([
  { because: 'transposed letters', typed: 'gte', suggestion: 'get' },
  { because: 'a missing letter', typed: 'descrbe', suggestion: 'describe' },
  { because: 'an additional letter', typed: 'cancell', suggestion: 'cancel' },
  { because: 'the beginning of a long word', typed: 'comp', suggestion: 'completion' },
  { because: 'upper case', typed: 'LOGS', suggestion: 'logs' },
  { because: 'an unrelated word', typed: 'kubernetes', suggestion: undefined },
  { because: 'a short word is not similar to every other one', typed: 'xy', suggestion: undefined },
])('$because: $typed', ({ typed, suggestion }) => {
  expect(nearestWord(typed, words)).toBe(suggestion)
})
