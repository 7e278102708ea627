import { expect, test } from 'vitest'
import { changedSteps } from './follow-steps.ts'

test('each change of a step is one line', () => {
  const known = new Map<string, string>()
  const lines = (...stepStatuses: { name: string; kind: string; [field: string]: unknown }[]) =>
    changedSteps({ status: { observedGeneration: 1, stepStatuses } as never }, known)
  const plan = { name: 'plan', kind: 'ToolRun' }
  const fix = { name: 'fix', kind: 'AgentRun' }
  expect(lines({ ...plan, phase: 'Running' }, { ...fix, phase: 'Pending' })).toEqual([
    'plan: Running',
  ])
  expect(lines({ ...plan, phase: 'Running' }, fix)).toEqual([])
  expect(
    lines(
      { ...plan, phase: 'Succeeded', reason: 'Reused', message: 'taken over' },
      { ...fix, phase: 'Running', attempt: 2 },
    ),
  ).toEqual(['plan: Succeeded', 'fix: Running (attempt 2)'])
  expect(lines({ ...fix, phase: 'Failed', reason: 'StepFailed', message: 'no' })).toEqual([
    'fix: Failed: StepFailed: no',
  ])
})
