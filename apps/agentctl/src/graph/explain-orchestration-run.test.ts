import type { OrchestrationRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { nextOfRun, tracedSteps } from './explain-orchestration-run.ts'

function run(spec: object, status: object): OrchestrationRun {
  return {
    metadata: { name: 'nightly-1', namespace: 'agents' },
    spec: { orchestrationRef: { name: 'nightly' }, ...spec },
    status,
  } as unknown as OrchestrationRun
}

function condition(type: string, status: string, reason: string, message = '') {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }
}

const accepted = [
  condition('Succeeded', 'Unknown', 'Running'),
  condition('Accepted', 'True', 'Accepted'),
  condition('Started', 'True', 'Started'),
]

describe('what happens next to an OrchestrationRun', () => {
  test.each([
    {
      because: 'no controller has seen it',
      shown: run({}, {}),
      next: ['No controller has processed it yet'],
    },
    {
      because: 'its Orchestration is missing',
      shown: run({}, { conditions: [condition('Accepted', 'False', 'DependencyMissing', 'no O')] }),
      next: ['It waits: no O', 'agentctl cancel orchestrationrun/nightly-1'],
    },
    {
      because: 'a step runs',
      shown: run(
        {},
        {
          conditions: accepted,
          stepStatuses: [
            { name: 'plan', kind: 'ToolRun', phase: 'Succeeded' },
            {
              name: 'fix',
              kind: 'AgentRun',
              phase: 'Running',
              resourceRef: { kind: 'AgentRun', name: 'nightly-1-fix' },
            },
            { name: 'wait', kind: 'SignalWait', phase: 'Running', message: 'waits for pushed' },
          ],
        },
      ),
      next: [
        'Step fix runs: agentctl explain agentrun nightly-1-fix',
        'Step wait runs: waits for pushed',
        'agentctl graph orchestrationrun nightly-1',
        'agentctl cancel orchestrationrun/nightly-1',
      ],
    },
    {
      because: 'it is cancelled',
      shown: run({ cancel: true }, { conditions: accepted }),
      next: ['It is being cancelled'],
    },
    {
      because: 'it failed',
      shown: run(
        {},
        {
          conditions: [
            condition('Succeeded', 'False', 'StepFailed'),
            condition('Finished', 'True', 'Failed'),
          ],
        },
      ),
      next: ['Nothing: the run has ended', 'agentctl rerun nightly-1'],
    },
    {
      because: 'it succeeded',
      shown: run(
        {},
        {
          conditions: [
            condition('Succeeded', 'True', 'Succeeded'),
            condition('Finished', 'True', 'Succeeded'),
          ],
        },
      ),
      next: ['Nothing: the run has ended'],
    },
  ])('$because', ({ shown, next }) => {
    expect(nextOfRun(shown)).toEqual(next.map((text) => expect.stringContaining(text)))
  })
})

test('the steps of the trace show why', () => {
  const shown = run(
    {},
    {
      stepStatuses: [
        { name: 'a', kind: 'Checkpoint', phase: 'Skipped', reason: 'NotNeeded', message: 'when' },
        { name: 'b', kind: 'ToolRun' },
      ],
    },
  )
  expect(tracedSteps(shown)).toMatchObject([
    { name: 'a', phase: 'Skipped', message: 'NotNeeded: when', attempt: 0 },
    { name: 'b', phase: 'Pending', message: '' },
  ])
})
