import { expect, test } from 'vitest'
import { parseDuration, shortDuration } from './duration.ts'

test.each([
  { text: '90', ms: 90_000 },
  { text: '30s', ms: 30_000 },
  { text: '1h30m', ms: 5_400_000 },
  { text: '250ms', ms: 250 },
  { text: '0', ms: 0 },
])('$text is $ms ms', ({ text, ms }) => {
  expect(parseDuration('--timeout', text)).toBe(ms)
})

test.each(['', 'soon', '5d', '-1s', '1.5m', '10s!'])(
  '"%s" is rejected with the name of its flag',
  (text) => {
    expect(() => parseDuration('--timeout', text)).toThrow('--timeout must be a time')
  },
)

test.each([
  { ms: 999, text: '0s' },
  { ms: 119_000, text: '119s' },
  { ms: 200_000, text: '3m20s' },
  { ms: 240_000, text: '4m' },
  { ms: 3_600_000, text: '60m' },
  { ms: 4 * 3_600_000, text: '4h' },
  { ms: 72 * 3_600_000, text: '3d' },
  { ms: -5, text: '0s' },
])('$ms ms is written $text', ({ ms, text }) => {
  expect(shortDuration(ms)).toBe(text)
})
