import { expect, test } from 'vitest'
import { durationLines } from './durations.ts'

test('the longest comes first, in minutes and seconds', () => {
  const durations = [
    { name: 'lint', seconds: 8.4 },
    { name: 'e2e/security', seconds: 659.6 },
    { name: 'quick', seconds: 179.5 },
  ]
  expect(durationLines(durations)).toEqual([
    'durations:',
    '   11:00  e2e/security',
    '    3:00  quick',
    '    0:08  lint',
  ])
})
