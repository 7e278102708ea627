import { type Job, JobKind, type Pod, PodKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, messageOf, patience, said, startBench } from './bench.ts'

// No node: the pods of Jobs are made by hand, and say what a kubelet would.
let bench: Bench
beforeAll(async () => {
  bench = await startBench({ node: false })
})
afterAll(() => bench.stop())

const waiting = (reason: string, message: string): Pod['status'] => ({
  phase: 'Pending',
  containerStatuses: [
    {
      name: 'agent-runner',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, message } },
    },
  ],
})

const troubles: { because: string; status: Pod['status']; reason: string; message: string }[] = [
  {
    because: 'no node has room for it',
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes fit',
        },
      ],
    },
    reason: 'Scheduling',
    message: '0/3 nodes fit',
  },
  {
    because: 'its image is not there',
    status: waiting('ImagePullBackOff', 'Back-off pulling image "nothing"'),
    reason: 'ImageUnavailable',
    message: 'Back-off pulling image "nothing"',
  },
  {
    because: 'its container lacks a Secret',
    status: waiting('CreateContainerConfigError', 'secret "key" not found'),
    reason: 'PodNotReady',
    message: 'secret "key" not found',
  },
]

describe('beginning', patience, () => {
  test.each(troubles)('a run that does not begin tells why: $because', async (trouble) => {
    const name = `stuck-${trouble.reason.toLowerCase()}`
    await bench.create(name, 'exit 0')
    const submitted = await bench.until(name, (run) => said(run, 'Started').startsWith('False'))
    expect(said(submitted, 'Started')).toBe('False/Submitting')
    expect(submitted.status).toMatchObject({ phase: 'Pending', attempts: 1 })
    const pod = await createPod(`${name}-job`)
    await setStatus(pod, trouble.status)
    const run = await bench.until(name, (one) => said(one, 'Started') === `False/${trouble.reason}`)
    expect(messageOf(run, 'Started')).toContain(trouble.message)
    expect(said(run, 'Succeeded')).toBe(`Unknown/${trouble.reason}`)
    expect(run.status?.startedAt).toBeUndefined()
    await setStatus(pod, {
      phase: 'Running',
      containerStatuses: [
        { name: 'agent-runner', ready: true, restartCount: 0, state: { running: {} } },
      ],
    })
    const begun = await bench.until(name, (one) => said(one, 'Started') === 'True/Started')
    expect(begun.status?.phase).toBe('Running')
    expect(begun.status?.startedAt).toBeDefined()
  })

  test('the reason and the exit code of the pod are told when the system ended it', async () => {
    await bench.create('greedy', 'exit 0')
    await bench.until('greedy', (run) => said(run, 'Started') === 'False/Submitting')
    const pod = await createPod('greedy-job')
    await setStatus(pod, {
      phase: 'Failed',
      containerStatuses: [
        {
          name: 'agent-runner',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        },
      ],
    })
    await failJob('greedy-job')
    const run = await bench.untilFinished('greedy')
    expect(said(run, 'Succeeded')).toBe('False/JobFailed')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 137 (OOMKilled)')
    expect(run.status?.exitCode).toBe(137)
  })

  test('cancelling a run whose Job has not begun takes the Job away first', async () => {
    await bench.create('unborn', 'exit 0')
    await bench.until('unborn', (run) => said(run, 'Started') === 'False/Submitting')
    await bench.client.patch(
      JobKind,
      { namespace: 'agents', name: 'unborn-job' },
      { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } },
    )
    await bench.patch('unborn', { cancel: true })
    const run = await bench.until('unborn', (one) => said(one, 'Started') === 'False/Cancelling')
    expect(said(run, 'Finished')).toBe('False/Pending')
    await bench.client.patch(
      JobKind,
      { namespace: 'agents', name: 'unborn-job' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    )
    const ended = await bench.untilFinished('unborn')
    expect(said(ended, 'Finished')).toBe('True/Cancelled')
    expect(ended.status?.startedAt).toBeUndefined()
  })
})

async function createPod(jobName: string): Promise<Pod> {
  const job = await bench.client.get(JobKind, { namespace: 'agents', name: jobName })
  const { metadata, spec } = job.spec.template
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${jobName}-pod`,
      namespace: 'agents',
      labels: { ...metadata?.labels, 'batch.kubernetes.io/job-name': jobName },
    },
    spec,
  }
  return bench.client.create(PodKind, withController(pod, job))
}

async function setStatus({ metadata }: Pod, status: Pod['status']): Promise<void> {
  const conditions = status?.conditions ?? []
  await bench.client.patch(
    PodKind,
    metadata,
    { type: 'merge', body: { status: { ...status, conditions } } },
    { subresource: 'status' },
  )
}

async function failJob(name: string): Promise<void> {
  const at = new Date().toISOString().replace(/\.\d+/, '')
  const condition = (
    type: string,
  ): NonNullable<NonNullable<Job['status']>['conditions']>[number] => ({
    type,
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
    lastTransitionTime: at,
  })
  await bench.client.patch(
    JobKind,
    { namespace: 'agents', name },
    {
      type: 'merge',
      body: {
        status: {
          startTime: at,
          failed: 1,
          conditions: [condition('FailureTarget'), condition('Failed')],
        },
      },
    },
    { subresource: 'status' },
  )
}
