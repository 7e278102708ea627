import { type Schedule, scheduledAtAnnotation } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { runsToDelete } from './run-history.ts'
import type { ScheduledRun } from './run-kinds.ts'

const schedule = {
  spec: { successfulRunsHistoryLimit: 2, failedRunsHistoryLimit: 1 },
  status: { lastScheduleTime: '2026-01-01T12:00:00Z' },
} as Schedule

function ended(name: string, at: string, phase: string, annotations = {}): ScheduledRun {
  return {
    metadata: { name, creationTimestamp: at, annotations },
    status: { phase, conditions: [{ type: 'Finished', status: 'True' }] },
  } as unknown as ScheduledRun
}

function started(name: string, at: string, phase = 'Succeeded'): ScheduledRun {
  return ended(name, at, phase, { [scheduledAtAnnotation]: at })
}

test('runs that users have triggered do not push out those that the schedule has started', () => {
  const runs = [
    started('first', '2026-01-01T01:00:00Z'),
    started('second', '2026-01-01T02:00:00Z'),
    started('failed', '2026-01-01T03:00:00Z', 'Failed'),
    ...['a', 'b', 'c', 'd'].map((name) => ended(name, '2026-01-01T04:00:00Z', 'Succeeded')),
    ended('e', '2026-01-01T05:00:00Z', 'Failed'),
  ]
  expect(runsToDelete(schedule, runs).map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
})

test('of each outcome the latest are kept, and a run whose time is not handled yet', () => {
  const runs = [
    started('third', '2026-01-01T03:00:00Z'),
    started('first', '2026-01-01T01:00:00Z'),
    started('second', '2026-01-01T02:00:00Z'),
    started('early failure', '2026-01-01T01:00:00Z', 'Failed'),
    started('late failure', '2026-01-01T02:00:00Z', 'Cancelled'),
    started('not handled', '2026-01-01T13:00:00Z'),
  ]
  const names = runsToDelete(schedule, runs).map(({ metadata }) => metadata.name)
  expect(names.toSorted()).toEqual(['early failure', 'first'])
})
