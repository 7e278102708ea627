import { expect, test } from 'vitest'
import { agoText, durationText } from './time-text.ts'

test.each([
  [-5, '0s'],
  [59_999, '59s'],
  [200_000, '3m 20s'],
  [7_500_000, '2h 5m'],
  [273_600_000, '3d 4h'],
])('durationText(%i) is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  [-5, 'now'],
  [1_999, 'now'],
  [12_000, '12s ago'],
  [3_599_000, '59m ago'],
  [86_400_000, '1d ago'],
])('agoText(%i) is %s', (ms, text) => {
  expect(agoText(ms)).toBe(text)
})

test.each([
  { ms: -5_000, text: 'now' },
  { ms: -3 * 60_000, text: 'in 3m' },
  { ms: -26 * 3_600_000, text: 'in 1d' },
])('what comes in $ms ms is $text', ({ ms, text }) => {
  expect(agoText(ms)).toBe(text)
})
