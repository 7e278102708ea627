import type { Pod } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reasons } from '../../run-contract/outcome.ts'
import { withoutPodSpec } from '../caches/status-only.ts'
import { advanceTask, type Task } from './advance-task.ts'
import type { AttemptJobs } from './attempt-jobs.ts'
import { noOutput } from './output/pod-output.ts'
import type { TaskLimits, TaskState } from './task-state.ts'
import {
  advance,
  ended,
  expectRow,
  job,
  now,
  running,
  type TaskRow,
  twice,
} from './testing/task-scene.ts'

/** A pod whose containers ended with reports of this kind. */
function reported(work: object, publish?: object): Pod {
  const pod = ended(1)
  const end = (name: string, report: object) => ({
    name,
    ready: false,
    restartCount: 0,
    state: {
      terminated: {
        exitCode: 1,
        message: JSON.stringify({ outcome: 'failed', message: 'm', exitCode: 1, ...report }),
      },
    },
  })
  const containerStatuses = [
    end('agent-runner', work),
    ...(publish === undefined ? [] : [end('publish', publish)]),
  ]
  return { ...pod, status: { ...pod.status, containerStatuses } }
}

/** As the caches of the controllers keep it. */
function inStatus(status: Pod['status']): Pod {
  const pod = ended(137)
  return withoutPodSpec({ ...pod, status: { ...pod.status, ...status } })
}

const lost = inStatus({
  containerStatuses: [
    {
      name: 'agent-runner',
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    },
  ],
})

describe('a failed attempt', () => {
  const failed = { state: running, job: job(['Failed']), cause: 'failed' }
  const only = (...retryOn: NonNullable<TaskLimits['retryOn']>) => ({ ...twice, retryOn })
  const rows: readonly TaskRow[] = [
    {
      because: 'its class is not listed',
      ...failed,
      limits: only('Evicted'),
      pod: ended(2),
      phase: 'Failed',
    },
    {
      because: 'its class is listed',
      ...failed,
      limits: only('Timeout', 'Error'),
      pod: ended(2),
      phase: 'Retrying',
    },
    {
      because: 'the model refused its requests',
      ...failed,
      limits: only('RateLimited'),
      pod: reported({ reason: 'RateLimited' }),
      phase: 'Retrying',
    },
    {
      because: 'the kubelet evicted the pod',
      ...failed,
      limits: only('Evicted'),
      pod: inStatus({ reason: 'Evicted', phase: 'Failed' }),
      phase: 'Retrying',
    },
    {
      because: 'the node of the pod is drained',
      ...failed,
      limits: only('Evicted'),
      pod: inStatus({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] }),
      phase: 'Retrying',
    },
    {
      because: 'the pod was deleted',
      ...failed,
      limits: only('Evicted'),
      pod: { ...ended(143), metadata: { name: 'p', deletionTimestamp: '2026-01-01T11:59:59Z' } },
      phase: 'Retrying',
    },
    {
      because: 'the node of the pod crashed',
      ...failed,
      limits: only('Evicted'),
      pod: lost,
      phase: 'Retrying',
    },
    {
      because: 'the pod exceeded its own limit of time',
      ...failed,
      limits: only('Evicted'),
      pod: inStatus({ reason: 'DeadlineExceeded' }),
      phase: 'Failed',
    },
    {
      because: 'the pod is gone with its node',
      ...failed,
      limits: only('Evicted'),
      phase: 'Retrying',
    },
    {
      because: 'the pod ended by itself',
      ...failed,
      limits: only('Evicted'),
      pod: inStatus({ conditions: [{ type: 'DisruptionTarget', status: 'False' }] }),
      phase: 'Failed',
    },
    {
      because: 'somebody else pushed to the branch',
      ...failed,
      limits: only('PushConflict'),
      pod: reported({ reason: 'PushConflict' }, { reason: 'PushConflict' }),
      phase: 'Retrying',
    },
    {
      because: 'the policy forbids what it pushes',
      ...failed,
      limits: twice,
      pod: reported({ reason: 'RateLimited' }, { reason: 'PublishRefused' }),
      phase: 'Failed',
    },
    {
      because: 'its documents are not valid',
      ...failed,
      limits: twice,
      pod: reported({ reason: 'InvalidSpec' }),
      phase: 'Failed',
    },
    {
      because: 'its Job was deleted, and that is not listed',
      state: running,
      cause: 'missing',
      limits: only('Error'),
      phase: 'Failed',
    },
  ]
  test.each(rows)('is retried or not: $because', expectRow)

  test('that is not retried has a message with its class', async () => {
    const limits = only('Evicted')
    const { state } = await advance({ ...failed, limits, pod: ended(2) })
    expect(state.message).toBe(
      'attempt 1 of 2: exit code 2; not retried, because its class is Error',
    )
    const last = await advance({
      ...failed,
      state: { ...running, attempt: 2 },
      limits,
      pod: ended(2),
    })
    expect(last.state.message).toBe('attempt 2 of 2: exit code 2')
  })

  test('is retried when the model asked for it', async () => {
    const pod = reported({ reason: 'RateLimited', retryAfterSeconds: 120 })
    const { state, failureClass } = await advance({ ...failed, limits: twice, pod })
    const waitMs = Date.parse(state.nextRetryAt ?? '') - now.getTime()
    expect(failureClass).toBe('RateLimited')
    expect(waitMs).toBeGreaterThanOrEqual(120_000)
    expect(waitMs).toBeLessThanOrEqual(150_000)
  })
})

describe('attempts of a task', () => {
  const limits = fc.record<TaskLimits>({
    retries: fc.nat(5),
    retryBackoffSeconds: fc.nat(100),
    timeoutSeconds: fc.constant(0),
    retryOn: fc.constantFrom(undefined, ['Error'], ['RateLimited'], ['RateLimited', 'Error']),
  } as never)
  const report = fc.record({
    reason: fc.constantFrom(...Object.keys(reasons), 'Evicted', 'anything'),
    retryAfterSeconds: fc.oneof(fc.nat(Number.MAX_SAFE_INTEGER), fc.constant(-1)),
    exitCode: fc.nat(255),
  })

  test('are never more than allowed, and never wait for ever, whatever programs report', async () => {
    const lives = fc.record({ limits, reports: fc.array(report, { minLength: 8, maxLength: 8 }) })
    await fc.assert(
      fc.asyncProperty(lives, async ({ limits: allowed, reports }) => {
        const { submitted, longestWaitMs, state } = await live(allowed, reports)
        expect(submitted).toBeLessThanOrEqual(allowed.retries + 1)
        expect(state.phase).toBe('Failed')
        expect(longestWaitMs).toBeLessThanOrEqual(3600 * 1.25 * 1000 + 1000)
      }),
      { numRuns: 300 },
    )
  })
})

/** A task whose attempts all fail. Each step has nothing but the state before it, as after a restart. */
async function live(limits: TaskLimits, reports: readonly object[]) {
  let state: TaskState = { phase: 'Pending', attempt: 0 }
  let submitted = 0
  let at = now.getTime()
  let longestWaitMs = 0
  for (let round = 0; round < 100 && state.phase !== 'Failed'; round += 1) {
    const failed = job(['Failed'])
    const jobs = {
      find: async () => failed,
      podOf: async () => reported(reports[submitted] ?? {}),
      outputOf: async () => noOutput,
      stop: async () => undefined,
    } as unknown as AttemptJobs
    const task: Task = {
      state,
      limits,
      runnerLimitSeconds: 0,
      jobs: () => [],
      submit: async () => {
        submitted += 1
        return {
          kind: 'submitted',
          job: { ...failed, metadata: { ...failed.metadata, uid: `${submitted}` } },
        }
      },
      unrecorded: () => undefined,
    }
    const { signal } = new AbortController()
    const next = await advanceTask(task, { jobs, now: new Date(at), signal, mayStart: true })
    // What is in the status is all that remains.
    state = JSON.parse(JSON.stringify(next.state)) as TaskState
    const waitMs = state.phase === 'Retrying' ? Date.parse(state.nextRetryAt ?? '') - at : 0
    longestWaitMs = Math.max(longestWaitMs, waitMs)
    at += Math.max(0, waitMs)
  }
  return { submitted, longestWaitMs, state }
}
