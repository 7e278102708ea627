import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { activeRuns } from './active-runs.ts'

function run(name: string, ...types: string[]): AgentRun {
  const conditions = types.map((type) => ({ type, status: 'True', reason: 'X', message: '' }))
  const admittedAt = `2030-01-01T00:00:0${name.length}Z`
  return {
    metadata: { name },
    spec: { agentRef: { name: 'coder' } },
    status: {
      conditions: conditions.map((one) => ({ ...one, lastTransitionTime: admittedAt })),
    },
  } as AgentRun
}

test('lists the runs that hold a slot, the longest first', () => {
  const all = [
    run('waits', 'Accepted'),
    run('newer', 'Accepted', 'Admitted', 'Started'),
    run('old', 'Accepted', 'Admitted'),
    run('ended', 'Accepted', 'Admitted', 'Started', 'Finished'),
  ]
  expect(activeRuns(all)).toEqual([
    { name: 'old', agent: 'coder', since: '2030-01-01T00:00:03Z' },
    { name: 'newer', agent: 'coder', since: '2030-01-01T00:00:05Z' },
  ])
})
