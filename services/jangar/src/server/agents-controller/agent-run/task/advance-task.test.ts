import type { Job, Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { RunJobs } from '../run-jobs.ts'
import { advanceTask } from './advance-task.ts'
import type { TaskLimits, TaskState } from './task-state.ts'

const now = new Date('2026-01-01T12:00:00Z')
const jobRef = { name: 'a-job', namespace: 'n', uid: 'uid' }
const running: TaskState = {
  phase: 'Running',
  attempt: 1,
  jobRef,
  submittedAt: '2026-01-01T11:59:00Z',
  startedAt: '2026-01-01T11:59:30Z',
}
const once: TaskLimits = { retries: 0, retryBackoffSeconds: 5, timeoutSeconds: 60 }
const twice: TaskLimits = { ...once, retries: 1 }

const conditions = (...types: string[]) => types.map((type) => ({ type, status: 'True' as const }))
const deletedAfterItsEnd = (type: 'Complete' | 'Failed'): Job => {
  const lastTransitionTime = '2026-01-01T11:59:50Z'
  return {
    ...job([], '2026-01-01T11:59:59Z'),
    status: { conditions: [{ type, status: 'True', lastTransitionTime }] },
  }
}
const job = (types: string[] = [], deletionTimestamp?: string): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...jobRef, ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
  spec: { template: { spec: { containers: [] } } },
  status: { conditions: conditions(...types) },
})
const ended = (exitCode: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [] },
  status: {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [
      { name: 'agent-runner', ready: false, restartCount: 0, state: { terminated: { exitCode } } },
    ],
  },
})

interface Scene {
  readonly state: TaskState
  readonly limits?: TaskLimits
  /** Absent: gone. */
  readonly job?: Job
  readonly pod?: Pod
  readonly mayStart?: boolean
}

async function look({ state, limits = once, job: there, pod, mayStart = true }: Scene) {
  const done: string[] = []
  const jobs = {
    find: async () => there,
    podOf: async () => pod,
    stop: async () => void done.push('stop'),
  } as unknown as RunJobs
  const task = {
    state,
    limits,
    jobs: () => (there ? [there] : []),
    submit: async (attempt: number) => {
      done.push(`submit ${attempt}`)
      return { kind: 'submitted', job: job() } as const
    },
  }
  const { signal } = new AbortController()
  const report = await advanceTask(task, { jobs, now, signal, mayStart })
  return { ...report, done }
}

describe('a task', () => {
  const rows: (Scene & {
    because: string
    phase: TaskState['phase']
    cause?: string
    done?: string[]
  })[] = [
    {
      because: 'its first attempt is handed over',
      state: { phase: 'Pending', attempt: 0 },
      phase: 'Running',
      done: ['submit 1'],
    },
    {
      because: 'nothing begins when the time is over',
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
      because: 'its only attempt has failed',
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
    { because: 'its Job is gone', state: running, phase: 'Failed', cause: 'missing' },
    {
      because: 'a Job that is being deleted may still work',
      state: running,
      job: job([], '2026-01-01T11:59:59Z'),
      phase: 'Running',
    },
    {
      because: 'its Job was deleted by somebody after it was done',
      state: running,
      job: deletedAfterItsEnd('Complete'),
      pod: ended(0),
      phase: 'Succeeded',
    },
    {
      because: 'its Job was deleted by somebody after it had failed',
      state: running,
      job: deletedAfterItsEnd('Failed'),
      pod: ended(2),
      phase: 'Failed',
      cause: 'failed',
    },
    {
      because: 'the end of a Job that is being deleted is no outcome',
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
      because: 'the Job of the failed attempt goes first',
      state: { ...running, phase: 'Retrying' },
      limits: twice,
      job: job(['Failed']),
      phase: 'Retrying',
      done: ['stop'],
    },
    {
      because: 'the Job of the failed attempt can be read until the next one is due',
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
      because: 'what has ended stays as it is',
      state: { ...running, phase: 'Succeeded' },
      phase: 'Succeeded',
    },
  ]
  test.each(rows)(
    'goes on as it should: $because',
    async ({ because: _, phase, cause, done = [], ...scene }) => {
      const report = await look(scene)
      expect({ phase: report.state.phase, cause: report.cause, done: report.done }).toEqual({
        phase,
        cause,
        done,
      })
    },
  )

  test('waits at least as long as asked for before it tries again', async () => {
    const { state, recheckAfterMs } = await look({
      state: running,
      limits: twice,
      job: job(['Failed']),
      pod: ended(2),
    })
    expect(state.nextRetryAt).toBe('2026-01-01T12:00:05Z')
    expect(recheckAfterMs).toBe(5000)
    expect(state.message).toBe(
      'attempt 1 of 2: exit code 2; it is tried again at 2026-01-01T12:00:05Z',
    )
  })

  test.each([
    { because: 'there is another attempt', limits: twice },
    { because: 'there is none', limits: once },
  ])('has begun, though it failed before anybody saw it run: $because', async ({ limits }) => {
    const { startedAt: _, ...unseen } = running
    const scene = { limits, job: job(['Failed']) }
    const { state } = await look({ state: unseen, ...scene, pod: ended(2) })
    expect(state.startedAt).toBe('2026-01-01T12:00:00Z')
    const vanished = await look({ state: unseen, ...scene })
    expect(vanished.state.startedAt).toBeUndefined()
  })

  test('looks again when its time is over, and never before', async () => {
    const { recheckAfterMs } = await look({ state: running, job: job() })
    expect(recheckAfterMs).toBeGreaterThanOrEqual(30_000)
    expect(recheckAfterMs).toBeLessThan(31_000)
  })
})
