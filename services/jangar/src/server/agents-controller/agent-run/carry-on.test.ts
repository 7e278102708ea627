import type { AgentRun } from '@agents/jangar-api'
import type { Job, Pod } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { describe, expect, test } from 'vitest'
import { carryOn } from './carry-on.ts'
import type { RunJobs } from './run-jobs.ts'
import type { Workshop } from './runtime/runtime.ts'
import type { RuntimeRef } from './runtime/runtime-ref.ts'
import { jobOutcome } from './task/job-outcome.ts'

const jobRef = { name: 'a-job', namespace: 'n', uid: 'uid' }
const startedAt = '2026-01-01T11:00:00Z'
const now = new Date('2026-01-01T12:00:00Z')
const limits = { retries: 1, retryBackoffSeconds: 0, timeoutSeconds: 0 }

const run = (spec: object, status: object): AgentRun =>
  ({
    metadata: { name: 'a', namespace: 'n', uid: 'run' },
    spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' }, ...spec },
    status: { startedAt, attempts: 1, usage: { inputTokens: 5 }, ...status },
  }) as unknown as AgentRun
const ofJob = (runTimeoutSeconds = 0) => ({
  runtimeRef: {
    type: 'job',
    ...jobRef,
    runTimeoutSeconds,
    limits,
    task: { phase: 'Running', startedAt },
  },
})
const steps = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `s${at + 1}` }))
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

const job = (condition?: 'Complete' | 'Failed'): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: jobRef,
  spec: { template: { spec: { containers: [] } } },
  status: { conditions: condition ? [{ type: condition, status: 'True' }] : [] },
})
const pod = (exitCode: number): Pod => {
  const outcome = exitCode === 0 ? 'succeeded' : 'failed'
  const said = { outcome, reason: 'Exited', message: 'done', exitCode, usage: { inputTokens: 7 } }
  const terminated = { exitCode, message: JSON.stringify(said) }
  const containerStatuses = [{ name: 'agent-runner', state: { terminated } }]
  return { status: { containerStatuses } } as unknown as Pod
}

const look = async (of: AgentRun, there: Job, exitCode: number) => {
  const stopped: string[] = []
  const jobs = {
    find: async () => there,
    podOf: async () => (jobOutcome(there) ? pod(exitCode) : undefined),
    of: () => [there],
    unfinished: () => (jobOutcome(there) ? [] : [there]),
    stop: async ({ metadata }: Job) => void stopped.push(metadata.name),
  } as unknown as RunJobs
  const workshop = {} as Workshop
  const { signal } = new AbortController()
  return { ...(await carryOn(of, jobs, workshop, { now, signal })), stopped }
}

describe('work that ended by itself before it was to be stopped', () => {
  test.each([
    {
      because: 'is told of a run that was cancelled',
      of: run({ cancel: true }, ofJob()),
      there: job('Complete'),
      exitCode: 0,
      kind: 'cancelled',
    },
    {
      because: 'is told of a run that had no time for another attempt',
      of: run({}, ofJob(60)),
      there: job('Failed'),
      exitCode: 3,
      kind: 'failed',
    },
    {
      because: 'is told of a workflow that had no time for its next step',
      of: run({ runtime: { type: 'workflow' }, workflow: { steps: steps(2) } }, ofWorkflow),
      there: job('Complete'),
      exitCode: 0,
      kind: 'failed',
      first: 'Succeeded',
    },
  ])('$because', async ({ of, there, exitCode, kind, first }) => {
    const { detail, stopped, ...rest } = await look(of, there, exitCode)
    expect(rest.kind).toBe(kind)
    expect(stopped).toEqual([])
    expect(detail).toMatchObject({ exitCode, usage: { inputTokens: 12 } })
    expect(detail.workflow?.steps?.[0]?.phase).toBe(first)
  })
})

test('a run that is cancelled waits for the end of what works, and says nothing of it before', async () => {
  const carried = await look(run({ cancel: true }, ofJob()), job(), 0)
  expect(carried).toMatchObject({ kind: 'cancelling', detail: {}, stopped: ['a-job'] })
})

describe('a run that is cancelled with an attempt left', () => {
  const again = { nextRetryAt: '2026-01-01T13:00:00Z', message: 'it is tried again' }
  const stopped = 'it was stopped on request'
  const atTask = (is: object) => ({ runtimeRef: { ...ofJob().runtimeRef, task: is } })
  const atStep = (is: object) => ({
    ...ofWorkflow,
    workflow: { phase: 'Running', steps: [{ name: 's1', attempt: 1, jobRef, ...is }] },
  })
  const unseen = { startedAt: undefined }

  test.each([
    {
      because: 'its attempt failed before anybody saw it run',
      status: { ...unseen, ...atTask({ phase: 'Running' }) },
      startedAt: rfc3339(now),
    },
    {
      because: 'it waits for its next attempt',
      status: atTask({ phase: 'Retrying', startedAt, ...again }),
      startedAt: undefined,
    },
    {
      because: 'the attempt of its step failed before anybody saw it run',
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
  ])('promises no other one, and says when it began: $because', async (row) => {
    const spec = { runtime: { type: row.type ?? 'job' }, workflow: { steps: steps(1) } }
    const of = run({ cancel: true, ...spec }, row.status)
    const { kind, begun, detail } = await look(of, job('Failed'), 2)
    expect({ kind, begun, startedAt: detail.startedAt }).toEqual({
      kind: 'cancelled',
      begun: true,
      startedAt: row.startedAt,
    })
    const task = (detail.runtimeRef as RuntimeRef | undefined)?.task
    const told = row.type ? detail.workflow?.steps?.[0] : task
    expect(told).toMatchObject({ phase: 'Failed', message: stopped, finishedAt: rfc3339(now) })
    expect(told).not.toHaveProperty('nextRetryAt')
  })
})
