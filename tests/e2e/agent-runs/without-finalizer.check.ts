import { isNotFound, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import { createLeftJob } from './left-job.ts'
import {
  conditionText,
  pollOptions,
  type RunHarness,
  runKind,
  startHarness,
} from './run-harness.ts'

// Controllers add the finalizer to a run before they create its Job. Here it was removed, and the controllers have
// stopped.
let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.stop())

const finalizer = 'agents.proompteng.ai/runtime-cleanup'

describe('a run that has a Job and no finalizer', pollOptions, () => {
  test('gets the finalizer from the next process, which finds the Job', async () => {
    await harness.controllers().stop()
    const run = await harness.create('unmarked', 'exit 7')
    await createLeftJob(harness.client, run, 'exit 0')
    await harness.restart()
    const ended = await harness.untilFinished('unmarked')
    expect(conditionText(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(ended.metadata.finalizers).toEqual([finalizer])
    expect(harness.writes.filter((write) => write === 'create jobs unmarked-job')).toEqual([])
  })

  test('is deleted together with its Job and pod', async () => {
    await harness.controllers().stop()
    const run = await harness.create('short-lived', 'exit 7')
    await createLeftJob(harness.client, run, 'sleep 600')
    await until(async () => (await podsOf('short-lived')) === 1, 'its pod was never created')
    await harness.remove('short-lived')
    await expect(harness.get('short-lived')).rejects.toSatisfy(isNotFound)
    await until(async () => (await harness.jobsOf('short-lived')).length === 0, 'its Job is left')
    await until(async () => (await podsOf('short-lived')) === 0, 'its pod is left')
    await harness.restart()
  })

  test('is stopped when it is being deleted and another finalizer holds it', async () => {
    await harness.controllers().stop()
    const run = await harness.create('held', 'exit 7')
    await createLeftJob(harness.client, run, 'sleep 600')
    await mark('held', ['example.com/hold'])
    await harness.remove('held')
    await harness.restart()
    await until(async () => (await harness.jobsOf('held')).length === 0, 'its Job is left')
    await until(async () => (await podsOf('held')) === 0, 'its pod is left')
    expect((await harness.get('held')).metadata.finalizers).toEqual(['example.com/hold'])
    await mark('held', null)
    await until(
      () => harness.get('held').then(() => false, isNotFound),
      'the run is kept by nobody, and is there',
    )
  })
})

async function podsOf(run: string): Promise<number> {
  const { items } = await harness.client.list(PodKind, { namespace: 'agents' })
  return items.filter(({ metadata }) => metadata.name.startsWith(`${run}-job`)).length
}

async function mark(name: string, finalizers: string[] | null): Promise<void> {
  const body = { metadata: { finalizers } }
  await harness.client.patch(runKind, { namespace: 'agents', name }, { type: 'merge', body })
}
