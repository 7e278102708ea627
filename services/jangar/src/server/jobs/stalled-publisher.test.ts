import type { ContainerState, Job, Pod } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { advanceTask } from './advance-task.ts'
import type { AttemptJobs } from './attempt-jobs.ts'
import { noOutput } from './output/pod-output.ts'

const now = new Date('2026-01-01T12:00:00Z')
const jobRef = { name: 'a-job', namespace: 'n', uid: 'uid' }
const job: Job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: jobRef,
  spec: { template: { spec: { containers: [] } } },
}

function container(name: string, state: ContainerState) {
  return {
    name,
    ready: false,
    restartCount: 0,
    state,
  }
}

async function advance(agent: ContainerState, publish: ContainerState) {
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [] },
    status: {
      phase: 'Running',
      containerStatuses: [container('agent-runner', agent), container('publish', publish)],
    },
  }
  const done: string[] = []
  const jobs = {
    find: async () => job,
    podOf: async () => pod,
    outputOf: async () => noOutput,
    stop: async () => void done.push('stop'),
  } as unknown as AttemptJobs
  const task = {
    state: { phase: 'Running', attempt: 1, jobRef, startedAt: '2026-01-01T11:00:00Z' } as const,
    limits: { retries: 0, retryBackoffSeconds: 5, timeoutSeconds: 0 },
    jobs: () => [job],
    submit: async () => ({ kind: 'submitted', job }) as const,
    runnerLimitSeconds: 0,
    unrecorded: () => undefined,
  }
  const { signal } = new AbortController()
  const { state } = await advanceTask(task, { jobs, now, signal, mayStart: true })
  return { phase: state.phase, message: state.message ?? '', done }
}

function ended(exitCode: number, secondsAgo: number): ContainerState {
  return {
    terminated: {
      exitCode,
      finishedAt: new Date(now.getTime() - secondsAgo * 1000).toISOString(),
    },
  }
}

describe('a pod whose agent ended and whose publisher is still running', () => {
  test.each([
    { because: 'the publisher has time left', agent: ended(0, 5), publish: { running: {} } },
    { because: 'also after a failure', agent: ended(3, 5), publish: { running: {} } },
    { because: 'both run', agent: { running: {} }, publish: { running: {} } },
  ])('keeps running: $because', async ({ agent, publish }) => {
    expect(await advance(agent, publish)).toMatchObject({ phase: 'Running', done: [] })
  })

  test.each([
    {
      because: 'the agent could not be started',
      agent: ended(127, 60),
      publish: { running: {} },
      message: /exit code 127/,
    },
    {
      because: 'the publisher received nothing',
      agent: ended(0, 600),
      publish: { running: {} },
      message: /container publish received nothing/,
    },
    {
      because: 'the publisher has no image',
      agent: ended(0, 600),
      publish: { waiting: { reason: 'ErrImagePull', message: 'not found' } },
      message: /container publish cannot start: ErrImagePull/,
    },
  ])('is stopped with a reason: $because', async ({ agent, publish, message: expected }) => {
    const { phase, message, done } = await advance(agent, publish)
    expect([phase, done]).toEqual(['Failed', ['stop']])
    expect(message).toMatch(expected)
  })
})
