import { expect, test } from 'vitest'
import { nearestWord } from './nearest-word.ts'

const words = ['run', 'get', 'describe', 'logs', 'cancel', 'completion']

test.each([
  { because: 'letters that changed places', typed: 'gte', meant: 'get' },
  { because: 'one letter too few', typed: 'descrbe', meant: 'describe' },
  { because: 'one letter too many', typed: 'cancell', meant: 'cancel' },
  { because: 'the beginning of a long word', typed: 'comp', meant: 'completion' },
  { because: 'upper case', typed: 'LOGS', meant: 'logs' },
  { because: 'something else altogether', typed: 'kubernetes', meant: undefined },
  { because: 'a short word is not nearly every other one', typed: 'xy', meant: undefined },
])('$because: $typed', ({ typed, meant }) => {
  expect(nearestWord(typed, words)).toBe(meant)
})
