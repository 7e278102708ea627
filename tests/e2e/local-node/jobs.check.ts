import { type Job, JobKind, type Pod, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  hasCondition,
  inDefault,
  isFinished,
  isOver,
  jobOf,
  type Platform,
  startPlatform,
  untilGone,
  untilObject,
} from './platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

async function podsOf(job: string): Promise<Pod[]> {
  const labelSelector = `batch.kubernetes.io/job-name=${job}`
  return (await platform.client.list(PodKind, { namespace: 'default', labelSelector })).items
}

function finished(name: string): Promise<Job> {
  return untilObject(platform.client, JobKind, inDefault(name), isFinished)
}

function conditionsOf({ status }: Job) {
  return (status?.conditions ?? []).map(
    ({ type, status: value, reason }) => `${type}=${value} ${reason}`,
  )
}

describe('a Job', () => {
  test.each([
    {
      because: 'whose command succeeds is complete',
      name: 'good',
      script: 'echo done',
      spec: {},
      conditions: [
        'SuccessCriteriaMet=True CompletionsReached',
        'Complete=True CompletionsReached',
      ],
      counts: { succeeded: 1, failed: undefined },
      pods: 1,
    },
    {
      because: 'that may not fail fails with its first pod',
      name: 'bad',
      script: 'exit 3',
      spec: { backoffLimit: 0 },
      conditions: ['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded'],
      counts: { succeeded: undefined, failed: 1 },
      pods: 1,
    },
    {
      because: 'has one pod more than its backoff limit',
      name: 'stubborn',
      script: 'exit 1',
      spec: { backoffLimit: 2 },
      conditions: ['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded'],
      counts: { succeeded: undefined, failed: 3 },
      pods: 3,
    },
    {
      because: 'with several completions has a pod for each, one after the other',
      name: 'thrice',
      script: 'true',
      spec: { completions: 3 },
      conditions: [
        'SuccessCriteriaMet=True CompletionsReached',
        'Complete=True CompletionsReached',
      ],
      counts: { succeeded: 3, failed: undefined },
      pods: 3,
    },
    {
      because: 'is stopped at its deadline',
      name: 'late',
      script: 'sleep 60',
      spec: { activeDeadlineSeconds: 3, backoffLimit: 5 },
      conditions: ['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded'],
      counts: { succeeded: undefined, failed: 1 },
      pods: 0,
    },
    {
      because: 'with zero completions is complete immediately',
      name: 'nothing',
      script: 'true',
      spec: { completions: 0 },
      conditions: [
        'SuccessCriteriaMet=True CompletionsReached',
        'Complete=True CompletionsReached',
      ],
      counts: { succeeded: undefined, failed: undefined },
      pods: 0,
    },
    {
      because: 'fails immediately if its policy says so',
      name: 'policy',
      script: 'exit 42',
      spec: {
        backoffLimit: 6,
        podFailurePolicy: {
          rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }],
        },
      },
      conditions: ['FailureTarget=True PodFailurePolicy', 'Failed=True PodFailurePolicy'],
      counts: { succeeded: undefined, failed: 1 },
      pods: 1,
    },
  ])('$because', async ({ name, script, spec, conditions, counts, pods }) => {
    await platform.client.create(JobKind, jobOf(name, script, spec))
    const job = await finished(name)
    expect(conditionsOf(job)).toEqual(conditions)
    expect({ succeeded: job.status?.succeeded, failed: job.status?.failed }).toEqual(counts)
    expect(job.status).toMatchObject({
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      startTime: expect.any(String),
    })
    expect(job.status).not.toHaveProperty('active')
    expect(job.status?.completionTime !== undefined).toBe(hasCondition(job, 'Complete'))
    await until(async () => {
      const all = await podsOf(name)
      return all.length === pods && all.every((pod) => !pod.metadata.finalizers) ? all : undefined
    }, 'waited in vain for: pods are released')
  })

  test('creates pods with the same labels, owner and finalizer as in a cluster', async () => {
    const job = await platform.client.create(JobKind, jobOf('labels', 'sleep 300'))
    const pod = await until(async () => (await podsOf('labels'))[0], 'waited in vain for: pod')
    expect(pod.metadata).toMatchObject({
      generateName: 'labels-',
      labels: {
        'batch.kubernetes.io/job-name': 'labels',
        'batch.kubernetes.io/controller-uid': job.metadata.uid,
        'job-name': 'labels',
        'controller-uid': job.metadata.uid,
      },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: 'labels',
          uid: job.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      finalizers: ['batch.kubernetes.io/job-tracking'],
    })
    const active = await untilObject(
      platform.client,
      JobKind,
      inDefault('labels'),
      ({ status }) => status?.ready === 1,
    )
    expect(active.status).toMatchObject({ active: 1, ready: 1, terminating: 0 })
  })

  test('waits longer before each further attempt', async () => {
    await platform.client.create(JobKind, jobOf('patient', 'exit 1', { backoffLimit: 3 }))
    await finished('patient')
    const created = (await podsOf('patient')).map(({ metadata }) =>
      Date.parse(metadata.creationTimestamp ?? ''),
    )
    expect(created).toHaveLength(4)
    // 200, 400 and 800 ms, on a clock with a resolution of one second.
    expect(Math.max(...created) - Math.min(...created)).toBeGreaterThanOrEqual(1000)
  })

  test('deletes its pod when it is suspended, and starts again when it is resumed', async () => {
    const { client } = platform
    const key = inDefault('paused')
    await client.create(JobKind, jobOf('paused', 'sleep 300'))
    await untilObject(client, JobKind, key, ({ status }) => status?.ready === 1)
    const suspend = (value: boolean) =>
      client.patch(JobKind, key, { type: 'merge', body: { spec: { suspend: value } } })
    await suspend(true)
    const rests = await untilObject(
      client,
      JobKind,
      key,
      ({ status }) => (status?.active ?? 0) === 0 && hasCondition({ status } as Job, 'Suspended'),
    )
    expect(conditionsOf(rests)).toEqual(['Suspended=True JobSuspended'])
    await until(
      async () => ((await podsOf('paused')).length === 0 ? true : undefined),
      'waited in vain for: no pod',
    )
    await suspend(false)
    const again = await untilObject(client, JobKind, key, ({ status }) => status?.ready === 1)
    expect(conditionsOf(again)).toEqual(['Suspended=False JobResumed'])
    expect(again.status?.failed).toBeUndefined()
  })

  test('that is created suspended runs nothing', async () => {
    const { client } = platform
    await client.create(JobKind, jobOf('resting', 'true', { suspend: true }))
    const job = await untilObject(client, JobKind, inDefault('resting'), (one) =>
      hasCondition(one, 'Suspended'),
    )
    expect(job.status?.startTime).toBeUndefined()
    expect(await podsOf('resting')).toEqual([])
  })

  test('counts a deleted pod as a failure, and replaces it', async () => {
    const { client } = platform
    await client.create(JobKind, jobOf('robbed', 'sleep 300', { backoffLimit: 2 }))
    const first = await until(
      async () => (await podsOf('robbed')).find((one) => one.status?.phase === 'Running'),
      'waited in vain for: pod',
    )
    await client.delete(PodKind, first.metadata)
    const job = await untilObject(
      client,
      JobKind,
      inDefault('robbed'),
      ({ status }) => status?.failed === 1 && status.active === 1,
    )
    expect(isFinished(job)).toBe(false)
    const [second] = await until(async () => {
      const pods = await podsOf('robbed')
      return pods.length === 1 ? pods : undefined
    }, 'waited in vain for: the first is gone')
    expect(second?.metadata.uid).not.toBe(first.metadata.uid)
  })

  test('deletes its pods when it is deleted', async () => {
    const { client } = platform
    await client.create(JobKind, jobOf('doomed', 'sleep 300'))
    await untilObject(client, JobKind, inDefault('doomed'), ({ status }) => status?.ready === 1)
    await client.delete(JobKind, inDefault('doomed'), { propagationPolicy: 'Foreground' })
    await untilGone(client, JobKind, inDefault('doomed'))
    expect(await podsOf('doomed')).toEqual([])
  })

  test('whose pods restart in place fails when they have restarted too often', async () => {
    const { client } = platform
    const spec = jobOf('inplace', 'exit 1', { backoffLimit: 2 }, { restartPolicy: 'OnFailure' })
    await client.create(JobKind, spec)
    const job = await finished('inplace')
    expect(conditionsOf(job).at(-1)).toBe('Failed=True BackoffLimitExceeded')
  })

  test('ignores failures that its policy ignores', async () => {
    const { client, stateDir } = platform
    const counter = `${stateDir}/ignored`
    const script = `echo x >> ${counter}; [ $(wc -l < ${counter}) -gt 2 ] || exit 9`
    const spec = {
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [9] } }],
      },
    }
    await client.create(JobKind, jobOf('forgiven', script, spec))
    const job = await finished('forgiven')
    expect(job.status).toMatchObject({ succeeded: 1 })
    expect(job.status?.failed).toBeUndefined()
    expect((await podsOf('forgiven')).filter(isOver)).toHaveLength(3)
  })
})
