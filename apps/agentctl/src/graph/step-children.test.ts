import type { OrchestrationRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { stepChildren } from './step-children.ts'

function ref(kind: string, name: string) {
  return { resourceRef: { kind, name } }
}

test('objects of steps, items and earlier attempts are named after their step', () => {
  const status = {
    stepStatuses: [
      { name: 'wait', kind: 'SignalWait', ...ref('SignalDelivery', 'delivery') },
      { name: 'plan', kind: 'ToolRun', phase: 'Succeeded', ...ref('ToolRun', 'run-plan-1') },
      {
        name: 'try',
        kind: 'AgentRun',
        attempt: 2,
        attempts: [{ attempt: 1, ...ref('AgentRun', 'run-try-1') }],
        ...ref('AgentRun', 'run-try-2'),
      },
      {
        name: 'each',
        kind: 'AgentRun',
        items: [
          { index: 0, ...ref('AgentRun', 'run-each-0') },
          { index: 1, phase: 'Pending' },
        ],
      },
      { name: 'sub', kind: 'SubOrchestration', ...ref('OrchestrationRun', 'run-sub-1') },
      { name: 'later', kind: 'ToolRun', phase: 'Pending' },
    ],
  } as unknown as NonNullable<OrchestrationRun['status']>
  const lines = stepChildren({ status }, 'outer/').map((child) => Object.values(child).join(' '))
  expect(lines).toEqual([
    'outer/plan ToolRun run-plan-1 true',
    'outer/try AgentRun run-try-1 true',
    'outer/try (attempt 2) AgentRun run-try-2 false',
    'outer/each[0] AgentRun run-each-0 false',
    'outer/sub OrchestrationRun run-sub-1 false',
  ])
})

test('a run without a status has none', () => {
  expect(stepChildren({} as OrchestrationRun)).toEqual([])
})
