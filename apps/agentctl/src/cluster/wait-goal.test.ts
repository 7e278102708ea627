import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { currentState, parseGoal, stallOf } from './wait-goal.ts'

function object(kind: string, status: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'one', ...metadata },
    status,
  }
}

const queued = {
  conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Queued', message: 'others go first' }],
}

describe('a wait that timed out reports', () => {
  test.each([
    {
      because: 'nothing about a missing object',
      goal: 'condition=Ready',
      of: undefined,
      expectedMessage: [],
    },
    {
      because: 'what the condition is',
      goal: 'condition=ready',
      of: object('Agent', queued),
      expectedMessage: ['Condition Ready is Unknown: Queued, others go first'],
    },
    {
      because: 'the status of a condition without reason and message',
      goal: 'condition=PodScheduled=False',
      of: object('Pod', { conditions: [{ type: 'PodScheduled', status: 'True' }] }),
      expectedMessage: ['Condition PodScheduled is True'],
    },
    {
      because: 'how to get an explanation of a run',
      goal: 'condition=Ready=True',
      of: object('AgentRun', queued),
      expectedMessage: [
        'Condition Ready is Unknown: Queued, others go first',
        'For details: agentctl explain run one',
      ],
    },
    {
      because: 'that the object has no such condition',
      goal: 'condition=Redy',
      of: object('Agent', queued),
      expectedMessage: ['It has no condition Redy yet.'],
    },
    {
      because: 'that its deletion was not requested',
      goal: 'delete',
      of: object('Agent'),
      expectedMessage: ['No deletion was requested.'],
    },
    {
      because: 'what blocks its deletion',
      goal: 'delete',
      of: object(
        'AgentRun',
        {},
        { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x/y'] },
      ),
      expectedMessage: ['It is being deleted, but blocked by x/y.'],
    },
  ])('$because', ({ goal, of, expectedMessage }) => {
    expect(currentState(of, parseGoal(goal))).toEqual(expectedMessage)
  })
})

test('an invalid goal is rejected', () => {
  expect(() => parseGoal('ready')).toThrow('--for must be condition=TYPE')
})

describe('a wait for a condition of a stalled object', () => {
  const stalled = (status: string, observedGeneration: number): KubeObject =>
    object(
      'Agent',
      { conditions: [{ type: 'Stalled', status, reason: 'Bad', message: '', observedGeneration }] },
      { generation: 2 },
    )

  test.each([
    {
      because: 'it cannot become true by itself',
      goal: 'Ready',
      of: stalled('True', 2),
      ends: true,
    },
    { because: 'the spec has changed since', goal: 'Ready', of: stalled('True', 1), ends: false },
    { because: 'it is not stalled', goal: 'Ready', of: stalled('False', 2), ends: false },
    { because: 'false is awaited', goal: 'Ready=False', of: stalled('True', 2), ends: false },
  ])('ends at once: $ends, because $because', ({ goal, of, ends }) => {
    expect(stallOf(of, parseGoal(`condition=${goal}`)) !== undefined).toBe(ends)
  })
})
