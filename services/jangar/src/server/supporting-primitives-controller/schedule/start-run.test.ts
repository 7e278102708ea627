import type { Schedule } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import type { RunKinds } from './run-kinds.ts'
import { type SchedulePorts, startRun } from './start-run.ts'

const due = new Date('2026-01-01T12:00:00Z')
const signal = new AbortController().signal

/** A schedule that copies a run, with the UID of that run as its status shows it. */
function scheduleOf(targetUid: string | undefined): Schedule {
  const resolved = { type: 'TargetResolved', status: 'True', observedGeneration: 1 }
  return {
    ...{ apiVersion: 'schedules.proompteng.ai/v1alpha1', kind: 'Schedule' },
    metadata: { name: 'nightly', namespace: 'team', uid: 'u', generation: 1 },
    spec: { cron: '@daily', targetRef: { kind: 'AgentRun', name: 'model' } },
    status: { ...(targetUid !== undefined && { targetUid }), conditions: [resolved] },
  } as unknown as Schedule
}

/** A server with this schedule, and a cache whose run of the name has this UID. */
function portsWith(onServer: Schedule, cachedUid: string) {
  const created: object[] = []
  const run = { metadata: { name: 'model', uid: cachedUid }, spec: { priority: 1 } }
  const kind = { group: 'agents.proompteng.ai', version: 'v1alpha1', kind: 'AgentRun' }
  const children = {
    createOrObserve: async (wanted: { readonly spec: object }) => {
      created.push(wanted.spec)
      return { object: wanted }
    },
  }
  const kinds = new Map([['AgentRun', { cache: { kind, get: () => run }, children }]])
  const client = { get: async () => onServer }
  const ports = { client, schedules: { kind }, kinds: kinds as unknown as RunKinds }
  return { created, ports: ports as unknown as SchedulePorts }
}

test('the run that the gate has found is copied', async () => {
  const { created, ports } = portsWith(scheduleOf('a'), 'a')
  const start = await startRun(ports, scheduleOf('a'), { due, targetUid: 'a' }, signal)
  expect(start).toMatchObject({ kind: 'started' })
  expect(created).toEqual([{ priority: 1 }])
})

test.each([
  { because: 'it was replaced after the gate', found: 'a', onServer: 'a', cached: 'b' },
  { because: 'the cached schedule is older', found: 'b', onServer: 'a', cached: 'b' },
])('a run that was created again is not copied: $because', async ({ found, onServer, cached }) => {
  const { created, ports } = portsWith(scheduleOf(onServer), cached)
  const start = await startRun(ports, scheduleOf(undefined), { due, targetUid: found }, signal)
  expect(start).toMatchObject({ kind: 'stale' })
  expect(created).toEqual([])
})
