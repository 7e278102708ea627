import type { Pod } from '@agents/kube'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JobPlan, planJob } from './plan-job.ts'
import { podName } from './pod-of-job.ts'
import { countedAttempts, isFinished, type JobStatus, type TrackedJob } from './tracked-job.ts'

const now = new Date('2026-01-01T00:10:00Z')
const backoff = { baseMs: 10_000, capMs: 600_000 }

function jobOf(spec: Partial<TrackedJob['spec']> = {}, status?: JobStatus): TrackedJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'job', namespace: 'n', uid: 'u' },
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      template: { spec: { containers: [{ name: 'main' }] } },
      ...spec,
    },
    ...(status && { status }),
  }
}

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

function podOf(
  attempt: number,
  phase: Phase,
  more: { finishedAt?: string; going?: boolean; tracked?: boolean; exitCode?: number } = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(jobOf(), attempt),
      namespace: 'n',
      uid: `p-${attempt}`,
      ...(more.tracked !== false && { finalizers: ['batch.kubernetes.io/job-tracking'] }),
      ...(more.going && { deletionTimestamp: '2026-01-01T00:10:00Z' }),
    },
    spec: { containers: [{ name: 'main' }], nodeName: 'local', restartPolicy: 'Never' },
    status: {
      phase,
      containerStatuses: [
        {
          name: 'main',
          ready: phase === 'Running',
          restartCount: 0,
          state: {
            ...(more.finishedAt && {
              terminated: { exitCode: more.exitCode ?? 1, finishedAt: more.finishedAt },
            }),
          },
        },
      ],
    },
  }
}

function plan(job: TrackedJob, pods: Pod[] = []): JobPlan {
  return planJob(job, pods, { now }, backoff)
}

const started = { startTime: '2026-01-01T00:00:00Z' }

test('the start time of a Job is its first reconcile, also if it is written later', () => {
  const begunAt = new Date('2026-01-01T00:09:58Z')
  const { status } = planJob(jobOf(), [podOf(0, 'Succeeded')], { now, begunAt }, backoff)
  expect(status).toMatchObject({
    startTime: '2026-01-01T00:09:58Z',
    completionTime: '2026-01-01T00:10:00Z',
  })
})

describe('the next action for a Job is', () => {
  test.each([
    { because: 'to create its first pod', job: jobOf(), pods: [], create: 0 },
    { because: 'nothing while its pod runs', job: jobOf({}, started), pods: [podOf(0, 'Running')] },
    {
      because: 'the next attempt after the previous one was counted and the backoff has passed',
      job: jobOf({}, { ...started, failed: 1 }),
      pods: [podOf(0, 'Failed', { finishedAt: '2026-01-01T00:09:50Z' })],
      create: 1,
    },
    {
      because: 'a delay after a failure',
      job: jobOf({}, { ...started, failed: 1 }),
      pods: [podOf(0, 'Failed', { finishedAt: '2026-01-01T00:09:53Z' })],
      recheckAfterMs: 3000,
    },
    {
      because: 'a longer delay after the second failure',
      job: jobOf({}, { ...started, failed: 2 }),
      pods: [
        podOf(0, 'Failed', { finishedAt: '2026-01-01T00:09:00Z' }),
        podOf(1, 'Failed', { finishedAt: '2026-01-01T00:09:55Z' }),
      ],
      recheckAfterMs: 15_000,
    },
    {
      because: 'a short delay after a success in between',
      job: jobOf({ completions: 9 }, { ...started, failed: 2, succeeded: 1 }),
      pods: [
        podOf(0, 'Failed', { finishedAt: '2026-01-01T00:08:00Z' }),
        podOf(1, 'Succeeded', { finishedAt: '2026-01-01T00:09:00Z', exitCode: 0 }),
        podOf(2, 'Failed', { finishedAt: '2026-01-01T00:09:58Z' }),
      ],
      recheckAfterMs: 8000,
    },
    { because: 'nothing if it is suspended', job: jobOf({ suspend: true }), pods: [] },
    { because: 'nothing with parallelism 0', job: jobOf({ parallelism: 0 }), pods: [] },
    {
      because: 'nothing while a deleted pod still exists',
      job: jobOf({}, started),
      pods: [podOf(0, 'Failed', { going: true, tracked: false })],
    },
  ])('$because', ({ job, pods, create, recheckAfterMs }) => {
    const next = plan(job, pods)
    expect(next.create).toBe(create)
    if (recheckAfterMs !== undefined) expect(next.recheckAfterMs).toBe(recheckAfterMs)
    expect(next.end).toBeUndefined()
    expect(next.recordFirst).toBe(false)
  })

  test('to record an outcome before anything else', () => {
    const next = plan(jobOf({}, started), [
      podOf(0, 'Failed', { finishedAt: '2026-01-01T00:00:01Z' }),
    ])
    expect(next).toMatchObject({ recordFirst: true, status: { failed: 1 } })
    expect(next.create).toBeUndefined()
  })

  test('to release a pod whose outcome is counted, but not a running one', () => {
    const pods = [podOf(0, 'Failed', { finishedAt: '2026-01-01T00:00:01Z' }), podOf(1, 'Running')]
    const { release } = plan(jobOf({}, { ...started, failed: 1 }), pods)
    expect(release.map(({ metadata }) => metadata.uid)).toEqual(['p-0'])
  })

  test.each([
    {
      because: 'its deadline has passed',
      spec: { activeDeadlineSeconds: 60 },
      reason: 'DeadlineExceeded',
      uncounted: false,
    },
    {
      because: 'it is suspended',
      spec: { suspend: true },
      reason: 'JobSuspended',
      uncounted: true,
    },
  ])('to end its pod if $because', ({ spec, reason, uncounted }) => {
    const next = plan(jobOf(spec, started), [podOf(0, 'Running')])
    expect(next.end).toMatchObject({ uncounted })
    expect(next.status.conditions?.map((one) => one.reason)).toEqual([reason])
    expect(next.status.conditions?.some(({ type }) => type === 'Failed')).toBe(false)
  })
})

/** Simulates the Job controller, node and server, with crashes between any two writes. */
function play(outcomes: readonly ('good' | 'bad')[], crashes: readonly boolean[], spec: object) {
  let job = jobOf(spec)
  const pods = new Map<string, Pod>()
  let created = 0
  let time = now.getTime()
  const crash = crashes[Symbol.iterator]()
  const crashed = () => crash.next().value === true
  for (let step = 0; step < 400 && !isFinished(job); step += 1) {
    time += 3_600_000
    const next = planJob(job, [...pods.values()], { now: new Date(time) }, backoff)
    if (next.recordFirst) {
      job = { ...job, status: next.status }
      if (crashed()) continue
    }
    for (const pod of next.release)
      pods.set(pod.metadata.name, { ...pod, metadata: { ...pod.metadata, finalizers: [] } })
    if (next.create !== undefined) {
      const name = podName(job, next.create)
      expect(pods.has(name)).toBe(false)
      const running = [...pods.values()].filter(({ status }) => status?.phase === 'Running')
      expect(running).toEqual([])
      pods.set(name, podOf(next.create, 'Running'))
      created += 1
      if (crashed()) continue
    }
    if (!next.recordFirst) job = { ...job, status: next.status }
    const current = [...pods.values()].find(({ status }) => status?.phase === 'Running')
    if (current !== undefined && !crashed()) {
      const phase = outcomes[created - 1] === 'good' ? 'Succeeded' : 'Failed'
      const attempt = created - 1
      pods.set(
        current.metadata.name,
        podOf(attempt, phase, {
          finishedAt: new Date(time).toISOString(),
          exitCode: phase === 'Failed' ? 1 : 0,
        }),
      )
    }
  }
  return { job, created }
}

test('each attempt has one pod and each outcome is counted once, in spite of crashes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('good' as const, 'bad' as const), { minLength: 30, maxLength: 30 }),
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      (outcomes, crashes, completions, backoffLimit) => {
        const { job, created } = play(outcomes, crashes, { completions, backoffLimit })
        expect(isFinished(job)).toBe(true)
        expect(countedAttempts(job)).toBe(created)
        const taken = outcomes.slice(0, created)
        expect(job.status?.succeeded ?? 0).toBe(taken.filter((one) => one === 'good').length)
        expect(job.status?.failed ?? 0).toBe(taken.filter((one) => one === 'bad').length)
        const isComplete = job.status?.conditions?.some(({ type }) => type === 'Complete')
        expect(isComplete).toBe(job.status?.succeeded === completions)
      },
    ),
    { numRuns: 300 },
  )
})
