import { expect, test } from 'vitest'
import { shownSteps } from './shown-steps.ts'

test('a step on a Memory shows its operation, and the Memory if it names one', () => {
  const steps = [
    { name: 'a', kind: 'MemoryOp', memoryRef: { name: 'notes' }, with: { op: 'get', key: 'x' } },
    { name: 'b', kind: 'MemoryOp', with: { op: 'put', key: 'x', value: 'y' } },
  ]
  expect(shownSteps({ steps }).map(({ refers }) => refers)).toEqual(['get notes', 'put'])
})
