import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'

test('the outcome of an object does not contain what changes without an event', () => {
  const status = (second: number) => ({
    phase: 'Succeeded',
    observedGeneration: second,
    lastReconcileTime: `2026-01-02T03:04:0${second}Z`,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        observedGeneration: second,
        lastTransitionTime: '2026-01-02T03:04:00Z',
        lastProbeTime: `2026-01-02T03:04:0${second}Z`,
      },
    ],
    finishedAt: '2026-01-02T03:04:00Z',
  })
  expect(outcomeOf(status(1))).toEqual(outcomeOf(status(2)))
  expect(outcomeOf(status(1))).toEqual({
    phase: 'Succeeded',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:04:00Z' }],
    finishedAt: '2026-01-02T03:04:00Z',
  })
})

test.each([undefined, null, 'x', {}, { observedGeneration: 1 }])('%j is no outcome', (status) => {
  expect(outcomeOf(status)).toBeUndefined()
})
