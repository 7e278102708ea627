import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { parseGoal, whereItStands } from './wait-goal.ts'

const object = (kind: string, status: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'one', ...metadata },
  status,
})
const queued = {
  conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Queued', message: 'others go first' }],
}

describe('who waits in vain learns', () => {
  test.each([
    {
      because: 'nothing about what is not there',
      goal: 'condition=Ready',
      of: undefined,
      says: [],
    },
    {
      because: 'what the condition says',
      goal: 'condition=ready',
      of: object('Agent', queued),
      says: ['It says Unknown: Queued, others go first'],
    },
    {
      because: 'no more than a condition without words says',
      goal: 'condition=PodScheduled=False',
      of: object('Pod', { conditions: [{ type: 'PodScheduled', status: 'True' }] }),
      says: ['It says True'],
    },
    {
      because: 'where a run is explained',
      goal: 'condition=Ready=True',
      of: object('AgentRun', queued),
      says: ['It says Unknown: Queued, others go first', 'agentctl explain run one says more.'],
    },
    {
      because: 'that nobody has looked at it yet, or never will',
      goal: 'condition=Redy',
      of: object('Agent', queued),
      says: ['It has no condition Redy yet.'],
    },
    {
      because: 'that it is not even to go',
      goal: 'delete',
      of: object('Agent'),
      says: ['Nobody has asked for it.'],
    },
    {
      because: 'what keeps it from going',
      goal: 'delete',
      of: object(
        'AgentRun',
        {},
        { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x/y'] },
      ),
      says: ['It is being deleted, and kept by x/y.'],
    },
  ])('$because', ({ goal, of, says }) => {
    expect(whereItStands(of, parseGoal(goal))).toEqual(says)
  })
})

test('a goal that is none is refused', () => {
  expect(() => parseGoal('ready')).toThrow('--for must be condition=TYPE')
})
