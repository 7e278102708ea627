import { expect, test } from 'vitest'
import type { GraphStep } from '../definition/graph.ts'
import { readStepStatuses, type StepStatus, writeStepStatuses } from './step-statuses.ts'

const steps = ['done', 'running', 'loop'].map(
  (name) =>
    ({
      name,
      kind: 'AgentRun',
      forEach: name === 'loop' ? { list: { items: [1] } } : undefined,
    }) as unknown as GraphStep,
)
const startedAt = '2026-01-01T00:00:00Z'
const before = [
  {
    ...{ name: 'done', kind: 'AgentRun', phase: 'Succeeded', attempt: 1, startedAt },
    ...{ finishedAt: startedAt, lastTransitionTime: startedAt, outputs: { a: 1 } },
    resourceRef: { apiVersion: 'v1', kind: 'AgentRun', name: 'run-done', uid: 'u' },
  },
  {
    ...{ name: 'running', kind: 'AgentRun', phase: 'Running', attempt: 1, startedAt },
    lastTransitionTime: startedAt,
    resourceRef: { apiVersion: 'v1', kind: 'AgentRun', name: 'run-running' },
  },
  {
    ...{ name: 'loop', kind: 'AgentRun', phase: 'Running', startedAt },
    lastTransitionTime: startedAt,
    items: [{ index: 0, phase: 'Running', attempt: 1, startedAt }],
  },
] as unknown as StepStatus[]
const now = new Date('2026-01-01T00:00:05Z')

function refOf() {
  return { apiVersion: 'v1', kind: 'AgentRun' }
}

test('a step that has not changed keeps its status, and one that has gets another', () => {
  const states = readStepStatuses(before, steps)
  const changed = states.map((state) =>
    state.name === 'running'
      ? { ...state, phase: 'Succeeded' as const, finishedAt: now.getTime() }
      : state,
  )
  const written = writeStepStatuses(changed, { steps, before, now, refOf })
  expect(written[0]).toBe(before[0])
  expect(written[2]).toBe(before[2])
  expect(written[1]).toMatchObject({
    phase: 'Succeeded',
    finishedAt: '2026-01-01T00:00:05Z',
    lastTransitionTime: '2026-01-01T00:00:05Z',
  })
  expect(readStepStatuses(before, steps)[0]).toBe(states[0])
})

test('a status that is kept is the one that would be written', () => {
  const copies = readStepStatuses(before, steps).map((state) => ({ ...state }))
  expect(writeStepStatuses(copies, { steps, before, now, refOf })).toEqual(before)
})
