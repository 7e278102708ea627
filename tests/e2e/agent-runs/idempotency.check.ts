import { type Job, JobKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { type CreatedJobs, createdJobs } from './created-jobs.ts'
import { createLeftJob } from './left-job.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
let jobs: CreatedJobs
beforeAll(async () => {
  harness = await startHarness()
  jobs = await createdJobs(harness.client)
})
afterAll(async () => {
  await jobs.stop()
  await harness.stop()
})

const numbers = Array.from({ length: 8 }, (_, index) => index)

describe('idempotency', pollOptions, () => {
  test('a crash between creating the Job and recording it: the Job is found, not created again', async () => {
    await harness.controllers().stop()
    const run = await harness.create('crashed', 'exit 7')
    const { metadata } = await createLeftJob(harness.client, run, 'exit 0')
    await harness.restart()
    const ended = await harness.untilFinished('crashed')
    expect(conditionText(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(ended.status).toMatchObject({ attempts: 1, runtimeRef: { uid: metadata.uid } })
    expect(await jobs.of('crashed')).toEqual(['crashed-job'])
  })

  test('a cancellation wins over a Job that finished unrecorded', async () => {
    await harness.controllers().stop()
    const run = await harness.create('unheard', 'exit 7')
    await createLeftJob(harness.client, run, 'exit 0')
    await until(
      async () => (await harness.jobsOf('unheard'))[0]?.status?.succeeded === 1,
      'its Job has not ended',
    )
    await harness.patch('unheard', { cancel: true })
    await harness.restart()
    const ended = await harness.untilFinished('unheard')
    expect(conditionText(ended, 'Finished')).toBe('True/Cancelled')
    expect(messageOf(ended, 'Finished')).toBe('cancelled by spec.cancel')
  })

  test('a Job that is created after the end of its run, by a request that was believed lost, is stopped', async () => {
    const run = await harness.create('outrun', 'exit 0', { cancel: true })
    await harness.untilFinished('outrun')
    await createLeftJob(harness.client, run, 'sleep 600')
    await until(async () => (await harness.jobsOf('outrun')).length === 0, 'its Job works on')
    expect(conditionText(await harness.get('outrun'), 'Finished')).toBe('True/Cancelled')
  })

  test('two concurrent controllers create one Job for each attempt of a run', async () => {
    const second = await harness.second()
    const names = numbers.map((number) => `twin-${number}`)
    await Promise.all(
      names.map((name, number) =>
        number % 3 === 0
          ? harness.create(name, 'exit 1', { retries: 1, retryBackoffSeconds: 0 })
          : harness.create(name, 'exit 0'),
      ),
    )
    const runs = await Promise.all(names.map((name) => harness.untilFinished(name)))
    await second.stop()
    for (const [number, run] of runs.entries()) {
      const { name } = run.metadata
      const fails = number % 3 === 0
      expect(conditionText(run, 'Succeeded')).toBe(
        fails ? 'False/RetriesExhausted' : 'True/Succeeded',
      )
      expect(await jobs.of(name)).toEqual(
        fails ? [`${name}-job`, `${name}-job-attempt-2`] : [`${name}-job`],
      )
    }
  })

  test('a change of leaders at any time loses nothing and does nothing twice', async () => {
    const names = numbers.map((number) => `relay-${number}`)
    const creating = Promise.all(
      names.map(async (name, number) => {
        await new Promise((resolve) => setTimeout(resolve, number * 60))
        await harness.create(name, 'sleep 0.1')
      }),
    )
    for (let life = 0; life < 4; life += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await harness.restart()
    }
    await creating
    const runs = await Promise.all(names.map((name) => harness.untilFinished(name)))
    for (const run of runs) {
      const { name } = run.metadata
      expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
      expect(await jobs.of(name)).toEqual([`${name}-job`])
      expect(run.status?.startedAt).toBeDefined()
    }
  })

  test('two new runs with the same idempotency key never both run, however soon the process ends', async () => {
    const key = { idempotencyKey: 'once' }
    // In one second, so that the times of the runs do not tell which one was first.
    await until(() => Date.now() % 1000 < 50, 'no second began', { everyMs: 5 })
    await harness.create('key-b', 'exit 0', key)
    await until(async () => (await jobs.of('key-b')).length > 0, 'key-b has no Job')
    await harness.controllers().stop()
    // The next process sees this run first.
    await harness.create('key-a', 'exit 0', key)
    await harness.restart()
    await harness.untilFinished('key-b')
    const second = await harness.untilFinished('key-a')
    expect(conditionText(second, 'Accepted')).toBe('False/DuplicateIdempotencyKey')
    expect(await jobs.of('key-a')).toEqual([])
  })

  test('a Job of the same name that another run owns is not adopted', async () => {
    const other = await harness.create('other', 'exit 0')
    await harness.untilFinished('other')
    const foreign: Job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'taken-job', namespace: 'agents' },
      spec: {
        suspend: true,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'local' }] },
        },
      },
    }
    await harness.client.create(JobKind, withController(foreign, other))
    await harness.create('taken', 'exit 0')
    const run = await harness.until(
      'taken',
      (one) => conditionText(one, 'Started') === 'Unknown/CheckFailed',
    )
    expect(run.status?.phase).toBe('Pending')
    await harness.client.delete(
      JobKind,
      { namespace: 'agents', name: 'taken-job' },
      { propagationPolicy: 'Background' },
    )
    expect(conditionText(await harness.untilFinished('taken'), 'Succeeded')).toBe('True/Succeeded')
  })
})
