import { expect, test } from 'vitest'
import { pauseAfter } from './pause-after.ts'

test.each([
  { because: 'a quick answer', tookMs: 12.3, hasFailed: false, pause: 500 },
  { because: 'a slow answer', tookMs: 400.1, hasFailed: false, pause: 1601 },
  { because: 'a refusal', tookMs: 3, hasFailed: true, pause: 5000 },
])('pauseAfter $because', ({ tookMs, hasFailed, pause }) => {
  expect(pauseAfter(tookMs, hasFailed)).toBe(pause)
})
