import { type Schedule, scheduledAtAnnotation } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { activeRuns, runsToDelete } from './run-history.ts'
import type { ScheduledRun } from './run-kinds.ts'

const schedule = {
  spec: {
    ...{ successfulRunsHistoryLimit: 2, failedRunsHistoryLimit: 1 },
    template: { kind: 'ToolRun' },
  },
  status: { lastScheduleTime: '2026-01-01T12:00:00Z' },
} as Schedule

function ended(name: string, at: string, phase: string, annotations = {}): ScheduledRun {
  return {
    kind: 'ToolRun',
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

test('runs that users have triggered are limited before the schedule has handled any time, each kind apart', () => {
  const triggered = (name: string, kind: string) =>
    ({ ...ended(name, '2026-01-01T04:00:00Z', 'Succeeded'), kind }) as ScheduledRun
  const runs = [
    ...['a', 'b', 'c'].map((name) => triggered(name, 'ToolRun')),
    ...['d', 'e', 'f'].map((name) => triggered(name, 'AgentRun')),
  ]
  const { status: _, ...fresh } = schedule
  const names = runsToDelete(fresh as Schedule, runs).map(({ metadata }) => metadata.name)
  expect(names).toEqual(['a', 'd'])
})

test('an active run of another kind than the schedule starts counts if the schedule has started it, not if a user has', () => {
  const active = (name: string, kind: string, annotations = {}) =>
    ({ kind, metadata: { name, annotations } }) as unknown as ScheduledRun
  const runs = [
    active('started', 'AgentRun', { [scheduledAtAnnotation]: '2026-01-01T00:00:00Z' }),
    active('triggered', 'AgentRun'),
    active('empty', 'AgentRun', { [scheduledAtAnnotation]: '' }),
    active('triggered of its kind', 'ToolRun'),
    ended('ended', '2026-01-01T04:00:00Z', 'Succeeded'),
  ]
  const names = activeRuns(schedule, runs).map(({ metadata }) => metadata.name)
  expect(names).toEqual(['started', 'triggered of its kind'])
})
