import { type Job, JobKind, type Pod, PodKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

// No node: the test creates the pods of Jobs and reports their status as a kubelet would.
let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({ node: false })
})
afterAll(() => harness.stop())

function waiting(reason: string, message: string): Pod['status'] {
  return {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'agent-runner',
        ready: false,
        restartCount: 0,
        state: { waiting: { reason, message } },
      },
    ],
  }
}

const troubles: { because: string; status: Pod['status']; reason: string; message: string }[] = [
  {
    because: 'no node fits',
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
    because: 'its image cannot be pulled',
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

describe('start', pollOptions, () => {
  test.each(troubles)('a run that does not start reports why: $because', async (trouble) => {
    const name = `stuck-${trouble.reason.toLowerCase()}`
    await harness.create(name, 'exit 0')
    const submitted = await harness.until(name, (run) =>
      conditionText(run, 'Started').startsWith('False'),
    )
    expect(conditionText(submitted, 'Started')).toBe('False/Submitting')
    expect(submitted.status).toMatchObject({ phase: 'Pending', attempts: 1 })
    const pod = await createPod(`${name}-job`)
    await setStatus(pod, trouble.status)
    const run = await harness.until(
      name,
      (one) => conditionText(one, 'Started') === `False/${trouble.reason}`,
    )
    expect(messageOf(run, 'Started')).toContain(trouble.message)
    expect(conditionText(run, 'Succeeded')).toBe(`Unknown/${trouble.reason}`)
    expect(run.status?.startedAt).toBeUndefined()
    await setStatus(pod, {
      phase: 'Running',
      containerStatuses: [
        { name: 'agent-runner', ready: true, restartCount: 0, state: { running: {} } },
      ],
    })
    const begun = await harness.until(
      name,
      (one) => conditionText(one, 'Started') === 'True/Started',
    )
    expect(begun.status?.phase).toBe('Running')
    expect(begun.status?.startedAt).toBeDefined()
  })

  test('a run whose image cannot be pulled ends, and frees its slot', async () => {
    await harness.create('unpulled', 'exit 0', { startTimeoutSeconds: 2 })
    await harness.until('unpulled', (run) => conditionText(run, 'Started') === 'False/Submitting')
    const pod = await createPod('unpulled-job')
    await setStatus(pod, waiting('ImagePullBackOff', 'Back-off pulling image "nothing"'))
    const run = await harness.untilFinished('unpulled')
    expect(conditionText(run, 'Succeeded')).toBe('False/TimedOut')
    expect(messageOf(run, 'Succeeded')).toBe(
      'the container did not start within 2 s: ImagePullBackOff: Back-off pulling image "nothing"',
    )
    expect(run.status?.startedAt).toBeUndefined()
    const jobs = await harness.jobsOf('unpulled')
    expect(jobs.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([])
  })

  test('the reason and the exit code are reported when the system killed the pod', async () => {
    await harness.create('greedy', 'exit 0')
    await harness.until('greedy', (run) => conditionText(run, 'Started') === 'False/Submitting')
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
    const run = await harness.untilFinished('greedy')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(messageOf(run, 'Succeeded')).toBe('exit code 137 (OOMKilled)')
    expect(run.status?.exitCode).toBe(137)
  })

  test('cancelling a run whose Job has not started deletes the Job first', async () => {
    await harness.create('unborn', 'exit 0')
    await harness.until('unborn', (run) => conditionText(run, 'Started') === 'False/Submitting')
    await harness.client.patch(
      JobKind,
      { namespace: 'agents', name: 'unborn-job' },
      { type: 'merge', body: { metadata: { finalizers: ['example.com/hold'] } } },
    )
    await harness.patch('unborn', { cancel: true })
    const run = await harness.until(
      'unborn',
      (one) => conditionText(one, 'Started') === 'False/Cancelling',
    )
    expect(conditionText(run, 'Finished')).toBe('False/Pending')
    await harness.client.patch(
      JobKind,
      { namespace: 'agents', name: 'unborn-job' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    )
    const ended = await harness.untilFinished('unborn')
    expect(conditionText(ended, 'Finished')).toBe('True/Cancelled')
    expect(ended.status?.startedAt).toBeUndefined()
  })
})

async function createPod(jobName: string): Promise<Pod> {
  const job = await harness.client.get(JobKind, { namespace: 'agents', name: jobName })
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
  return harness.client.create(PodKind, withController(pod, job))
}

async function setStatus({ metadata }: Pod, status: Pod['status']): Promise<void> {
  const conditions = status?.conditions ?? []
  await harness.client.patch(
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
  await harness.client.patch(
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
