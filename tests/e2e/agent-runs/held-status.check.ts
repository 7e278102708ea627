import { JobKind } from '@agents/kube'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { type CreatedJobs, createdJobs } from './created-jobs.ts'
import { createLeftJob } from './left-job.ts'
import { conditionText, pollOptions, type RunHarness, startHarness } from './run-harness.ts'

// After the Job of a run was created, its status is not written for a moment, because most fields change soon
// afterwards: a run from the queue keeps its queued status, and a new run has none. Whatever happens in that moment
// must end as if the status had been written.
let harness: RunHarness
let jobs: CreatedJobs
beforeAll(async () => {
  const limits = { JANGAR_AGENTS_CONTROLLER_CONCURRENCY_CLUSTER: '1' }
  harness = await startHarness({ environment: limits })
  jobs = await createdJobs(harness.client)
})
afterAll(async () => {
  await jobs.stop()
  await harness.stop()
})

/** As long as that, the start of a run is not reported. */
const heldMs = 3000
let number = 0
beforeEach(() => {
  number += 1
})

describe.each([
  { which: 'queued', start: fromQueue },
  { which: 'new', start: newRun },
])('a $which run whose Job was just created', pollOptions, ({ start }) => {
  test('gets one status update for its start and end if it finishes soon', async () => {
    const began = performance.now()
    const name = await start('exit 3')
    const run = await harness.untilFinished(name)
    const isSoon = performance.now() - began < heldMs
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(conditionText(run, 'Admitted')).toBe('True/Admitted')
    expect(run.status).toMatchObject({ attempts: 1, exitCode: 3 })
    expect(run.status?.queue).toBeUndefined()
    expect(run.status?.startedAt).toBeDefined()
    const updates = harness.writes.filter((write) => write === `update agentruns/status ${name}`)
    // On a busy machine the start may be reported first.
    expect(updates.length).toBeLessThanOrEqual(isSoon ? 2 : 3)
  })

  test('gets its status updates as usual if it does not', async () => {
    const name = await start('sleep 600')
    await harness.until(
      name,
      (run) => conditionText(run, 'Started') === 'True/Started',
      'its start',
    )
    await harness.patch(name, { cancel: true })
    expect(conditionText(await harness.untilFinished(name), 'Finished')).toBe('True/Cancelled')
  })

  test('does not get another Job if that one is deleted', async () => {
    const name = await start('sleep 600')
    await harness.client.delete(
      JobKind,
      { namespace: 'agents', name: `${name}-job` },
      { propagationPolicy: 'Background' },
    )
    expect(conditionText(await harness.untilFinished(name), 'Succeeded')).toBe('False/JobMissing')
    expect(await jobs.of(name)).toEqual([`${name}-job`])
  })

  test('can be cancelled, and its Job is deleted', async () => {
    const name = await start('sleep 600')
    await harness.patch(name, { cancel: true })
    expect(conditionText(await harness.untilFinished(name), 'Finished')).toBe('True/Cancelled')
    expect(await harness.jobsOf(name)).toEqual([])
  })

  test('can be deleted, and its Job is deleted', async () => {
    const name = await start('sleep 600')
    await harness.remove(name)
    await harness.untilGone(name)
    expect(await harness.jobsOf(name)).toEqual([])
  })

  test('is adopted by the next process, and nothing is done twice', async () => {
    const name = await start('exit 0')
    await harness.restart()
    expect(conditionText(await harness.untilFinished(name), 'Succeeded')).toBe('True/Succeeded')
    expect(await jobs.of(name)).toEqual([`${name}-job`])
  })
})

/** Queues the run behind another one, which is then cancelled. Returns the name of the run once its Job exists. */
async function fromQueue(script: string): Promise<string> {
  const [first, name] = [`first-${number}`, `second-${number}`]
  await harness.create(first, 'sleep 600')
  await harness.until(first, (run) => conditionText(run, 'Admitted') === 'True/Admitted', 'a place')
  await harness.create(name, script)
  await harness.until(name, (run) => run.status?.queue?.position === 1, 'the queue')
  await harness.patch(first, { cancel: true })
  await until(async () => (await jobs.of(name)).length > 0, `${name} has no Job`)
  return name
}

/** Returns the name of a new run once its Job exists. */
async function newRun(script: string): Promise<string> {
  const name = `new-${number}`
  await harness.create(name, script)
  await until(async () => (await jobs.of(name)).length > 0, `${name} has no Job`)
  return name
}

test(
  'a new run that has a Job is followed to its end even if its Agent is gone',
  pollOptions,
  async () => {
    await harness.controllers().stop()
    await harness.createAgent('brief')
    const run = await harness.create('orphan', 'exit 7', { agentRef: { name: 'brief' } })
    await createLeftJob(harness.client, run, 'exit 0')
    await harness.removeAgent('brief')
    await harness.restart()
    const ended = await harness.untilFinished('orphan')
    expect(conditionText(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(conditionText(ended, 'Accepted')).toBe('True/Accepted')
    expect(ended.status).toMatchObject({ attempts: 1, exitCode: 0 })
    expect(await jobs.of('orphan')).toEqual(['orphan-job'])
  },
)
