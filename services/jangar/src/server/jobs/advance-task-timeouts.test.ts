import type { Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { TaskState } from './task-state.ts'
import {
  advance,
  ended,
  expectRow,
  job,
  now,
  once,
  running,
  type TaskRow,
  twice,
} from './testing/task-scene.ts'

/** A pod whose runner reported that it stopped the program at its time limit. */
function timedOut(): Pod {
  const report = { outcome: 'timedOut', reason: 'TimedOut', message: 'too long', exitCode: 124 }
  const pod = ended(124)
  const [status] = pod.status?.containerStatuses ?? []
  const terminated = { exitCode: 124, message: JSON.stringify(report) }
  return {
    ...pod,
    status: { ...pod.status, containerStatuses: [{ ...status, state: { terminated } }] },
  } as Pod
}

/** A pod whose image cannot be pulled. */
function unpulled(): Pod {
  const pod = ended(0)
  const [status] = pod.status?.containerStatuses ?? []
  const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
  return {
    ...pod,
    status: { phase: 'Pending', containerStatuses: [{ ...status, state: { waiting } }] },
  } as Pod
}

function started(): Pod {
  const pod = ended(0)
  const [status] = pod.status?.containerStatuses ?? []
  const state = { running: { startedAt: '2026-01-01T12:00:00Z' } }
  return { ...pod, status: { phase: 'Running', containerStatuses: [{ ...status, state }] } } as Pod
}

/** Its Job was created `seconds` ago. */
function unstarted(seconds: number): TaskState {
  const { startedAt: _, ...state } = running
  return { ...state, submittedAt: new Date(now.getTime() - seconds * 1000).toISOString() }
}

describe('a task that takes too long', () => {
  const rows: readonly TaskRow[] = [
    {
      because: 'the runner noticed the timeout of the attempt before the controller',
      state: running,
      job: job(['Failed']),
      pod: timedOut(),
      phase: 'Failed',
      cause: 'timedOut',
    },
    {
      because: 'an attempt that timed out is retried',
      state: running,
      limits: twice,
      job: job(['Failed']),
      pod: timedOut(),
      phase: 'Retrying',
      cause: 'timedOut',
    },
    {
      because: 'the runner noticed the timeout of the run, which leaves no time for a retry',
      state: running,
      limits: { ...twice, timeoutSeconds: 0 },
      runnerLimitSeconds: 60,
      job: job(['Failed']),
      pod: timedOut(),
      phase: 'Failed',
      cause: 'timedOut',
    },
    {
      because: 'a program reports a timeout although there is no limit',
      state: running,
      limits: { ...once, timeoutSeconds: 0 },
      job: job(['Failed']),
      pod: timedOut(),
      phase: 'Failed',
      cause: 'failed',
    },
    {
      because: 'a program without the runner exits like timeout(1)',
      state: running,
      job: job(['Failed']),
      pod: ended(124),
      phase: 'Failed',
      cause: 'failed',
    },
    {
      because: 'its image may still be pulled',
      state: unstarted(899),
      job: job(),
      pod: unpulled(),
      phase: 'Running',
    },
    {
      because: 'its image could not be pulled in 15 minutes',
      state: unstarted(902),
      job: job(),
      pod: unpulled(),
      phase: 'Failed',
      cause: 'timedOut',
      done: ['stop'],
    },
    {
      because: 'its image could not be pulled, and there is another attempt',
      state: unstarted(902),
      limits: twice,
      job: job(),
      pod: unpulled(),
      phase: 'Retrying',
      cause: 'timedOut',
      done: ['stop'],
    },
    {
      because: 'its Job was stopped because it did not start, and nothing was recorded',
      state: unstarted(902),
      phase: 'Failed',
      cause: 'timedOut',
    },
    {
      because: 'its container started in the last second',
      state: unstarted(902),
      limits: { ...once, timeoutSeconds: 0 },
      job: job(),
      pod: started(),
      phase: 'Running',
    },
    {
      because: 'it may wait for its start without end',
      state: unstarted(100_000),
      limits: { ...once, startTimeoutSeconds: 0 },
      job: job(),
      pod: unpulled(),
      phase: 'Running',
    },
    {
      because: 'its own limit for the start is over',
      state: unstarted(12),
      limits: { ...once, startTimeoutSeconds: 10 },
      job: job(),
      phase: 'Failed',
      cause: 'timedOut',
      done: ['stop'],
    },
  ]
  test.each(rows)('advances: $because', expectRow)

  test('reports why its container did not start', async () => {
    const { state } = await advance({ state: unstarted(902), job: job(), pod: unpulled() })
    expect(state.message).toBe(
      'the container did not start within 900 s: ImagePullBackOff: no such image',
    )
  })

  test('is requeued when its container must have started', async () => {
    const scene = { state: unstarted(800), job: job(), pod: unpulled() }
    const { requeueAfterMs } = await advance(scene)
    expect(requeueAfterMs).toBeGreaterThanOrEqual(100_000)
    expect(requeueAfterMs).toBeLessThan(101_000)
  })
})
