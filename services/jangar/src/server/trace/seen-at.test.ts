import { expect, test } from 'vitest'
import { seenAt } from './seen-at.ts'

const told = '2026-01-02T12:00:05Z'
const at = Date.parse(told)

test.each([
  { because: 'it was observed at once', seen: at + 350, is: at + 350 },
  { because: 'rounding made the timestamp a second too early', seen: at + 1_100, is: at + 1_100 },
  { because: 'it was observed much later', seen: at + 60_000, is: at },
  { because: 'the clock of the server is ahead', seen: at - 10, is: at },
])('$because', ({ seen, is }) => {
  expect(seenAt(told, seen)).toBe(is)
})

test.each([undefined, 'yesterday'])('what says nothing (%j) happened when it was seen', (text) => {
  expect(seenAt(text, at)).toBe(at)
})
