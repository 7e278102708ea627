import { JobKind } from '@agents/kube'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Bench, eventually, patience, said, startBench } from './bench.ts'
import { type CreatedJobs, createdJobs } from './created-jobs.ts'

// A run that waited in the queue says so for a moment longer when it has its Job, since most is different soon. Whatever
// happens in that moment, and whether it is over by then, must end as if it had been told.
let bench: Bench
let jobs: CreatedJobs
beforeAll(async () => {
  const limits = { JANGAR_AGENTS_CONTROLLER_CONCURRENCY_CLUSTER: '1' }
  bench = await startBench({ environment: limits })
  jobs = await createdJobs(bench.client)
})
afterAll(async () => {
  await jobs.stop()
  await bench.stop()
})

describe('a run from the queue that has just been given its Job', patience, () => {
  let number = 0
  beforeEach(() => {
    number += 1
  })

  test('is told of once more when it is over soon', async () => {
    const name = await fromQueue('exit 3')
    const run = await bench.untilFinished(name)
    expect(said(run, 'Succeeded')).toBe('False/JobFailed')
    expect(said(run, 'Admitted')).toBe('True/Admitted')
    expect(run.status).toMatchObject({ attempts: 1, exitCode: 3 })
    expect(run.status?.queue).toBeUndefined()
    expect(run.status?.startedAt).toBeDefined()
  })

  test('is told of as it goes when it is not', async () => {
    const name = await fromQueue('sleep 600')
    await bench.until(name, (run) => said(run, 'Started') === 'True/Started', 'its start')
    await bench.patch(name, { cancel: true })
    expect(said(await bench.untilFinished(name), 'Finished')).toBe('True/Cancelled')
  })

  test('does not get another when that vanishes', async () => {
    const name = await fromQueue('sleep 600')
    await bench.client.delete(
      JobKind,
      { namespace: 'agents', name: `${name}-job` },
      { propagationPolicy: 'Background' },
    )
    expect(said(await bench.untilFinished(name), 'Succeeded')).toBe('False/JobMissing')
    expect(await jobs.of(name)).toEqual([`${name}-job`])
  })

  test('is cancelled, and its Job goes', async () => {
    const name = await fromQueue('sleep 600')
    await bench.patch(name, { cancel: true })
    expect(said(await bench.untilFinished(name), 'Finished')).toBe('True/Cancelled')
    expect(await bench.jobsOf(name)).toEqual([])
  })

  test('is deleted, and its Job goes', async () => {
    const name = await fromQueue('sleep 600')
    await bench.remove(name)
    await bench.untilGone(name)
    expect(await bench.jobsOf(name)).toEqual([])
  })

  test('is found by the next process, and nothing is done twice', async () => {
    const name = await fromQueue('exit 0')
    await bench.restart()
    expect(said(await bench.untilFinished(name), 'Succeeded')).toBe('True/Succeeded')
    expect(await jobs.of(name)).toEqual([`${name}-job`])
  })

  /** It waits behind another, which is then stopped; the name of the run, when its Job is there. */
  async function fromQueue(script: string): Promise<string> {
    const [first, name] = [`first-${number}`, `second-${number}`]
    await bench.create(first, 'sleep 600')
    await bench.until(first, (run) => said(run, 'Admitted') === 'True/Admitted', 'a place')
    await bench.create(name, script)
    await bench.until(name, (run) => run.status?.queue?.position === 1, 'the queue')
    await bench.patch(first, { cancel: true })
    await eventually(async () => (await jobs.of(name)).length > 0, `${name} has no Job`)
    return name
  }
})
