import type { AgentRun } from '@agents/jangar-api'
import type { Job, Pod } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { describe, expect, test } from 'vitest'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { jobOutcome } from '../../../jobs/job-outcome.ts'
import { noOutput } from '../../../jobs/output/pod-output.ts'
import type { RuntimeRef } from '../../../jobs/runtime-ref.ts'
import { advanceRun } from './advance-run.ts'
import type { WorkFactory } from './runtime.ts'

const jobRef = { name: 'a-job', namespace: 'n', uid: 'uid' }
const startedAt = '2026-01-01T11:00:00Z'
const now = new Date('2026-01-01T12:00:00Z')
const limits = { retries: 1, retryBackoffSeconds: 0, timeoutSeconds: 0 }

function run(spec: object, status: object): AgentRun {
  return {
    metadata: { name: 'a', namespace: 'n', uid: 'run' },
    spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' }, ...spec },
    status: { startedAt, attempts: 1, usage: { inputTokens: 5 }, ...status },
  } as unknown as AgentRun
}

function ofJob(runTimeoutSeconds = 0) {
  return {
    runtimeRef: {
      type: 'job',
      ...jobRef,
      runTimeoutSeconds,
      limits,
      task: { phase: 'Running', startedAt },
    },
  }
}

function steps(count: number) {
  return Array.from({ length: count }, (_, at) => ({ name: `s${at + 1}` }))
}

const ofWorkflow = {
  runtimeRef: { type: 'workflow', ...jobRef, runTimeoutSeconds: 60, limits },
  workflow: {
    phase: 'Running',
    steps: [
      { name: 's1', phase: 'Running', attempt: 1, startedAt, jobRef },
      { name: 's2', phase: 'Pending' },
    ],
  },
}

function job(condition?: 'Complete' | 'Failed'): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: jobRef,
    spec: { template: { spec: { containers: [] } } },
    status: { conditions: condition ? [{ type: condition, status: 'True' }] : [] },
  }
}

function pod(exitCode: number): Pod {
  const outcome = exitCode === 0 ? 'succeeded' : exitCode === 124 ? 'timedOut' : 'failed'
  const report = { outcome, reason: 'Exited', message: 'done', exitCode, usage: { inputTokens: 7 } }
  const terminated = { exitCode, message: JSON.stringify(report) }
  const containerStatuses = [{ name: 'agent-runner', state: { terminated } }]
  return { metadata: { name: 'p' }, status: { containerStatuses } } as unknown as Pod
}

async function advance(
  of: AgentRun,
  existing: Job | undefined,
  exitCode: number,
  gone?: Pod | 'expected',
) {
  const stopped: string[] = []
  const isOver = existing === undefined || jobOutcome(existing)
  const jobs = {
    find: async () => existing,
    outputOf: async () => noOutput,
    podOf: async () => (isOver ? pod(exitCode) : undefined),
    stopped: { of: () => gone },
    of: () => (existing ? [existing] : []),
    unfinished: () => (isOver ? [] : [existing]),
    stop: async ({ metadata }: Job) => void stopped.push(metadata.name),
  } as unknown as AttemptJobs<AgentRun>
  const factory = {} as WorkFactory
  const { signal } = new AbortController()
  return { ...(await advanceRun(of, jobs, factory, { now, signal })), stopped }
}

describe('the results of work that ended before it was stopped', () => {
  test.each([
    {
      because: 'are reported for a cancelled run',
      of: run({ cancel: true }, ofJob()),
      existing: job('Complete'),
      exitCode: 0,
      phase: 'Cancelled',
    },
    {
      because: 'are reported for a run without time for another attempt',
      of: run({}, ofJob(60)),
      existing: job('Failed'),
      exitCode: 3,
      phase: 'Failed',
    },
    {
      because: 'are reported for a workflow without time for its next step',
      of: run({ runtime: { type: 'workflow' }, workflow: { steps: steps(2) } }, ofWorkflow),
      existing: job('Complete'),
      exitCode: 0,
      phase: 'Failed',
      first: 'Succeeded',
    },
  ])('$because', async ({ of, existing, exitCode, phase, first }) => {
    const { detail, stopped, ...rest } = await advance(of, existing, exitCode)
    expect(rest.phase).toBe(phase)
    expect(stopped).toEqual([])
    expect(detail).toMatchObject({ exitCode, usage: { inputTokens: 12 } })
    expect(detail.workflow?.steps?.[0]?.phase).toBe(first)
  })
})

describe('a timeout that the runner reports', () => {
  const recent = '2026-01-01T11:59:01Z'
  const soon = {
    ...ofJob(60),
    startedAt: recent,
  }
  const long = { ...ofWorkflow.runtimeRef, runTimeoutSeconds: 0 }
  const step = { name: 's1', phase: 'Running', attempt: 1, startedAt: recent, jobRef }
  const workflow = (retries: number) => ({
    startedAt: recent,
    runtimeRef: { ...long, limits: { ...limits, retries, timeoutSeconds: 60 } },
    workflow: { phase: 'Running', steps: [step] },
  })
  const steps1 = { runtime: { type: 'workflow' }, workflow: { steps: steps(1) } }

  test.each([
    {
      because: 'before the controller notices',
      of: run({}, soon),
      failure: 'TimedOut',
    },
    {
      because: 'when the controller notices too',
      of: run({}, ofJob(60)),
      failure: 'TimedOut',
    },
    {
      because: 'of a step',
      of: run(steps1, workflow(0)),
      failure: 'WorkflowStepTimedOut',
    },
  ])('is a timeout of the run: $because', async ({ of, failure }) => {
    const { phase, failure: actual, message } = await advance(of, job('Failed'), 124)
    expect({ phase, failure: actual }).toEqual({ phase: 'Failed', failure })
    expect(message).toContain('timed out after 60 s')
  })

  test('of a step with an attempt left is retried', async () => {
    const { phase } = await advance(run(steps1, workflow(1)), job('Failed'), 124)
    expect(phase).toBe('Retrying')
  })
})

test('a cancelled run waits until its Job has stopped, and reports no results before', async () => {
  const progress = await advance(run({ cancel: true }, ofJob()), job(), 0)
  expect(progress).toMatchObject({ phase: 'Cancelling', detail: {}, stopped: ['a-job'] })
})

describe('a cancelled run with an attempt left', () => {
  const again = { nextRetryAt: '2026-01-01T13:00:00Z', message: 'retrying now' }
  const stopped = 'cancelled by spec.cancel'
  const atTask = (is: object) => ({ runtimeRef: { ...ofJob().runtimeRef, task: is } })
  const atStep = (is: object) => ({
    ...ofWorkflow,
    workflow: { phase: 'Running', steps: [{ name: 's1', attempt: 1, jobRef, ...is }] },
  })
  const unseen = { startedAt: undefined }

  test.each([
    {
      because: 'its attempt failed before it was observed running',
      status: { ...unseen, ...atTask({ phase: 'Running' }) },
      startedAt: rfc3339(now),
    },
    {
      because: 'it waits for its next attempt',
      status: atTask({ phase: 'Retrying', startedAt, ...again }),
      startedAt: undefined,
    },
    {
      because: 'the attempt of its step failed before it was observed running',
      type: 'workflow',
      status: { ...unseen, ...atStep({ phase: 'Running' }) },
      startedAt: rfc3339(now),
    },
    {
      because: 'its step waits for its next attempt',
      type: 'workflow',
      status: atStep({ phase: 'Retrying', startedAt, ...again }),
      startedAt: undefined,
    },
  ])('announces no other attempt, and reports when it started: $because', async (row) => {
    const spec = { runtime: { type: row.type ?? 'job' }, workflow: { steps: steps(1) } }
    const of = run({ cancel: true, ...spec }, row.status)
    const { phase, started, detail } = await advance(of, job('Failed'), 2)
    expect({ phase, started, startedAt: detail.startedAt }).toEqual({
      phase: 'Cancelled',
      started: true,
      startedAt: row.startedAt,
    })
    const task = (detail.runtimeRef as RuntimeRef | undefined)?.task
    const shown = row.type ? detail.workflow?.steps?.[0] : task
    expect(shown).toMatchObject({ phase: 'Failed', message: stopped, finishedAt: rfc3339(now) })
    expect(shown).not.toHaveProperty('nextRetryAt')
  })
})

describe('the usage of work that was stopped', () => {
  const ofStep = run(
    { runtime: { type: 'workflow' }, workflow: { steps: steps(1) }, cancel: true },
    {
      ...ofWorkflow,
      workflow: { phase: 'Running', steps: [{ name: 's1', phase: 'Running', attempt: 1, jobRef }] },
    },
  )
  const rows = [
    { because: 'of a cancelled run', of: run({ cancel: true }, ofJob()), phase: 'Cancelled' },
    { because: 'of a cancelled workflow', of: ofStep, phase: 'Cancelled' },
    { because: 'of a run that is late', of: run({}, ofJob(60)), phase: 'Failed', is: 'Timeout' },
  ]

  test.each(rows)('is kept: $because', async ({ of, phase, is }) => {
    const progress = await advance(of, undefined, 143, pod(143))
    expect(progress.phase).toBe(phase)
    // It was not the cluster that ended the pod.
    expect(progress.detail.failureClass).toBe(is)
    expect(progress.detail).toMatchObject({ exitCode: 143, usage: { inputTokens: 12 } })
  })

  test.each(rows)('is waited for if the Job is gone first: $because', async ({ of, phase }) => {
    const { detail, ...progress } = await advance(of, undefined, 143, 'expected')
    expect(progress.phase).toBe(phase === 'Cancelled' ? 'Cancelling' : 'Running')
    expect(progress.message).toContain('waiting for Job a-job to stop')
    expect(detail).toEqual({})
    expect(progress.requeueAfterMs).toBe(1000)
  })

  test('is not waited for where the pod left nothing', async () => {
    const progress = await advance(run({ cancel: true }, ofJob()), undefined, 143)
    expect(progress.phase).toBe('Cancelled')
    expect(progress.detail).not.toHaveProperty('usage')
  })
})

describe('the usage that a running attempt had reported', () => {
  const progress = { job: 'a-job', reportedAt: startedAt, inputTokens: 4, turns: 2 }

  test.each([
    {
      because: 'is replaced by that of the final report',
      of: run({}, { ...ofJob(), progress }),
      existing: job('Failed'),
      exitCode: 3,
      usage: { inputTokens: 12 },
    },
    {
      because: 'counts if the attempt left nothing',
      of: run({}, { ...ofJob(), progress }),
      existing: undefined,
      exitCode: 0,
      usage: { inputTokens: 9, turns: 2 },
    },
    {
      because: 'counts if a cancelled run left nothing',
      of: run({ cancel: true }, { ...ofJob(), progress }),
      existing: undefined,
      exitCode: 0,
      usage: { inputTokens: 9, turns: 2 },
    },
    {
      because: 'counts if a step left nothing',
      of: run(
        { runtime: { type: 'workflow' }, workflow: { steps: steps(2) } },
        { ...ofWorkflow, progress },
      ),
      existing: undefined,
      exitCode: 0,
      usage: { inputTokens: 9, turns: 2 },
    },
  ])('$because, once', async ({ of, existing, exitCode, usage }) => {
    const { detail } = await advance(of, existing, exitCode)
    expect(detail).toMatchObject({ progress: undefined })
    expect('progress' in detail).toBe(true)
    expect(detail.usage).toEqual(usage)
  })

  test('stays while the attempt runs', async () => {
    const { detail } = await advance(run({}, { ...ofJob(), progress }), job(), 0)
    expect('progress' in detail).toBe(false)
    expect('usage' in detail).toBe(false)
  })
})
