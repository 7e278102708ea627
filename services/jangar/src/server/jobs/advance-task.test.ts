import { describe, expect, test } from 'vitest'
import {
  advance,
  deletedAfterItsEnd,
  ended,
  expectRow,
  job,
  once,
  running,
  type TaskRow,
  twice,
} from './testing/task-scene.ts'

describe('a task', () => {
  const rows: readonly TaskRow[] = [
    {
      because: 'its first attempt is submitted',
      state: { phase: 'Pending', attempt: 0 },
      phase: 'Running',
      done: ['submit 1'],
    },
    {
      because: 'an attempt cannot be submitted, and never was',
      state: { phase: 'Pending', attempt: 0 },
      submission: { kind: 'refused', message: 'the Agent is invalid' },
      phase: 'Failed',
      cause: 'refused',
      done: ['submit 1'],
    },
    ...(['refused', 'waiting'] as const).map((kind) => ({
      because: `an attempt is ${kind}, but its Job was created before`,
      state: { phase: 'Pending', attempt: 0 } as const,
      submission: { kind, message: 'the Agent is gone' },
      unrecorded: job(),
      phase: 'Running' as const,
      done: ['submit 1'],
    })),
    {
      because: 'nothing starts when the time is over',
      state: { phase: 'Pending', attempt: 0 },
      mayStart: false,
      phase: 'Pending',
    },
    {
      because: 'its Job is complete',
      state: running,
      job: job(['Complete']),
      pod: ended(0),
      phase: 'Succeeded',
    },
    {
      because: 'an outcome counts although the time is over',
      state: { ...running, startedAt: '2026-01-01T11:00:00Z' },
      job: job(['Complete']),
      pod: ended(0),
      phase: 'Succeeded',
    },
    {
      because: 'its only attempt failed',
      state: running,
      job: job(['Failed']),
      pod: ended(2),
      phase: 'Failed',
      cause: 'failed',
    },
    {
      because: 'there is another attempt',
      state: running,
      limits: twice,
      job: job(['Failed']),
      pod: ended(2),
      phase: 'Retrying',
      cause: 'failed',
    },
    { because: 'its Job was deleted', state: running, phase: 'Failed', cause: 'missing' },
    {
      because: 'a Job that is being deleted may still run',
      state: running,
      job: job([], '2026-01-01T11:59:59Z'),
      phase: 'Running',
    },
    {
      because: 'its Job was deleted after it completed',
      state: running,
      job: deletedAfterItsEnd('Complete'),
      pod: ended(0),
      phase: 'Succeeded',
    },
    {
      because: 'its Job was deleted after it failed',
      state: running,
      job: deletedAfterItsEnd('Failed'),
      pod: ended(2),
      phase: 'Failed',
      cause: 'failed',
    },
    {
      because: 'a Job that ends while it is being deleted has no outcome',
      state: running,
      job: job(['Failed'], '2026-01-01T11:59:59Z'),
      phase: 'Running',
    },
    {
      because: 'a Job that takes too long is stopped first',
      state: { ...running, startedAt: '2026-01-01T11:58:00Z' },
      job: job(),
      phase: 'Running',
      done: ['stop'],
    },
    {
      because: 'it was stopped because it took too long',
      state: { ...running, startedAt: '2026-01-01T11:58:00Z' },
      phase: 'Failed',
      cause: 'timedOut',
    },
    {
      because: 'the Job of the failed attempt is deleted first',
      state: { ...running, phase: 'Retrying' },
      limits: twice,
      job: job(['Failed']),
      phase: 'Retrying',
      done: ['stop'],
    },
    {
      because: 'the Job of the failed attempt is kept until the retry is due',
      state: { ...running, phase: 'Retrying', nextRetryAt: '2026-01-01T12:00:05Z' },
      limits: twice,
      job: job(['Failed']),
      phase: 'Retrying',
    },
    {
      because: 'its back-off is not over',
      state: { ...running, phase: 'Retrying', nextRetryAt: '2026-01-01T12:00:05Z' },
      limits: twice,
      phase: 'Retrying',
    },
    {
      because: 'its back-off is over',
      state: { ...running, phase: 'Retrying', nextRetryAt: '2026-01-01T12:00:00Z' },
      limits: twice,
      phase: 'Running',
      done: ['submit 2'],
    },
    {
      because: 'a finished task stays as it is',
      state: { ...running, phase: 'Succeeded' },
      phase: 'Succeeded',
    },
  ]
  test.each(rows)('advances: $because', expectRow)

  test('waits at least the backoff before it retries', async () => {
    const { state, requeueAfterMs } = await advance({
      state: running,
      limits: twice,
      job: job(['Failed']),
      pod: ended(2),
    })
    // 5 seconds, and a part of a quarter that the Job's uid decides.
    expect(state.nextRetryAt).toBe('2026-01-01T12:00:06Z')
    expect(requeueAfterMs).toBe(6000)
    expect(state.message).toBe('attempt 1 of 2: exit code 2; retrying at 2026-01-01T12:00:06Z')
  })

  test.each([
    { because: 'there is another attempt', limits: twice },
    { because: 'there is none', limits: once },
  ])(
    'has started, though it failed before it was observed running: $because',
    async ({ limits }) => {
      const { startedAt: _, ...unseen } = running
      const scene = { limits, job: job(['Failed']) }
      const { state } = await advance({ state: unseen, ...scene, pod: ended(2) })
      expect(state.startedAt).toBe('2026-01-01T12:00:00Z')
      const vanished = await advance({ state: unseen, ...scene })
      expect(vanished.state.startedAt).toBeUndefined()
    },
  )

  test('is requeued when its time is over, and not earlier', async () => {
    const { requeueAfterMs } = await advance({ state: running, job: job() })
    expect(requeueAfterMs).toBeGreaterThanOrEqual(30_000)
    expect(requeueAfterMs).toBeLessThan(31_000)
  })
})
