import type { AgentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { jobTtlMs } from './runtime-ref.ts'

test.each([
  { because: 'the run sets it', own: 30, ttlMs: 30_000 },
  { because: 'the run keeps its Jobs', own: 0, ttlMs: 0 },
  { because: 'the default applies', own: undefined, ttlMs: 600_000 },
])('the time to live of Jobs is $ttlMs ms: $because', ({ own, ttlMs }) => {
  const runtimeRef = { type: 'job', ...(own !== undefined && { jobTtlSeconds: own }) }
  const run = { metadata: { name: 'a' }, status: { runtimeRef } } as unknown as AgentRun
  expect(jobTtlMs(run, 600_000)).toBe(ttlMs)
})
