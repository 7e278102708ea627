import { type Job, JobKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, messageOf, patience, said, startBench } from './bench.ts'
import { type CreatedJobs, createdJobs } from './created-jobs.ts'
import { createLeftJob } from './left-job.ts'

let bench: Bench
let jobs: CreatedJobs
beforeAll(async () => {
  bench = await startBench()
  jobs = await createdJobs(bench.client)
})
afterAll(async () => {
  await jobs.stop()
  await bench.stop()
})

const numbers = Array.from({ length: 8 }, (_, index) => index)

describe('idempotency', patience, () => {
  test('a crash between creating the Job and recording it: the Job is found, not made again', async () => {
    await bench.controllers().stop()
    const run = await bench.create('crashed', 'exit 7')
    const { metadata } = await createLeftJob(bench.client, run, 'exit 0')
    await bench.restart()
    const ended = await bench.untilFinished('crashed')
    expect(said(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(ended.status).toMatchObject({ attempts: 1, runtimeRef: { uid: metadata.uid } })
    expect(await jobs.of('crashed')).toEqual(['crashed-job'])
  })

  test('a Job that ended unrecorded is not denied by a cancellation', async () => {
    await bench.controllers().stop()
    const run = await bench.create('unheard', 'exit 7')
    await createLeftJob(bench.client, run, 'exit 0')
    await eventually(
      async () => (await bench.jobsOf('unheard'))[0]?.status?.succeeded === 1,
      'its Job has not ended',
    )
    await bench.patch('unheard', { cancel: true })
    await bench.restart()
    const ended = await bench.untilFinished('unheard')
    expect(said(ended, 'Finished')).toBe('True/Cancelled')
    expect(messageOf(ended, 'Finished')).toBe('it was stopped on request')
  })

  test('a Job that comes after the end of its run, by a request that was believed lost, is stopped', async () => {
    const run = await bench.create('outrun', 'exit 0', { cancel: true })
    await bench.untilFinished('outrun')
    await createLeftJob(bench.client, run, 'sleep 600')
    await eventually(async () => (await bench.jobsOf('outrun')).length === 0, 'its Job works on')
    expect(said(await bench.get('outrun'), 'Finished')).toBe('True/Cancelled')
  })

  test('two controllers at once make one Job for each attempt of a run', async () => {
    const second = await bench.second()
    const names = numbers.map((number) => `twin-${number}`)
    await Promise.all(
      names.map((name, number) =>
        number % 3 === 0
          ? bench.create(name, 'exit 1', { retries: 1, retryBackoffSeconds: 0 })
          : bench.create(name, 'exit 0'),
      ),
    )
    const runs = await Promise.all(names.map((name) => bench.untilFinished(name)))
    await second.stop()
    for (const [number, run] of runs.entries()) {
      const { name } = run.metadata
      const fails = number % 3 === 0
      expect(said(run, 'Succeeded')).toBe(fails ? 'False/RetriesExhausted' : 'True/Succeeded')
      expect(await jobs.of(name)).toEqual(
        fails ? [`${name}-job`, `${name}-job-attempt-2`] : [`${name}-job`],
      )
    }
  })

  test('leaders that follow one another in the middle of things lose nothing and do nothing twice', async () => {
    const names = numbers.map((number) => `relay-${number}`)
    const creating = Promise.all(
      names.map(async (name, number) => {
        await new Promise((resolve) => setTimeout(resolve, number * 60))
        await bench.create(name, 'sleep 0.1')
      }),
    )
    for (let life = 0; life < 4; life += 1) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await bench.restart()
    }
    await creating
    const runs = await Promise.all(names.map((name) => bench.untilFinished(name)))
    for (const run of runs) {
      const { name } = run.metadata
      expect(said(run, 'Succeeded')).toBe('True/Succeeded')
      expect(await jobs.of(name)).toEqual([`${name}-job`])
      expect(run.status?.startedAt).toBeDefined()
    }
  })

  test('an OwnerReference of another run keeps a Job of the same name out', async () => {
    const other = await bench.create('other', 'exit 0')
    await bench.untilFinished('other')
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
    await bench.client.create(JobKind, withController(foreign, other))
    await bench.create('taken', 'exit 0')
    const run = await bench.until('taken', (one) => said(one, 'Started') === 'Unknown/CheckFailed')
    expect(run.status?.phase).toBe('Pending')
    await bench.client.delete(
      JobKind,
      { namespace: 'agents', name: 'taken-job' },
      { propagationPolicy: 'Background' },
    )
    expect(said(await bench.untilFinished('taken'), 'Succeeded')).toBe('True/Succeeded')
  })
})
