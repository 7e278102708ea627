import type { Schedule } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { scheduledRun } from './scheduled-run.ts'

test('a schedule starts no operation on a Memory, although the platform could', () => {
  const schedule = { metadata: { name: 'nightly', namespace: 'team' } } as unknown as Schedule
  const spec = { memory: { operation: 'get', key: 'a' }, priority: 1 }
  const run = scheduledRun(schedule, new Date(0), { spec: spec as never })
  expect(run.spec).toEqual({ priority: 1 })
})
