import { isNotFound, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, patience, runKind, said, startBench } from './bench.ts'
import { createLeftJob } from './left-job.ts'

// Controllers give a run its finalizer before its Job. Here somebody has taken it away, and the controllers have ended.
let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const finalizer = 'agents.proompteng.ai/runtime-cleanup'

describe('a run that has a Job and no finalizer', patience, () => {
  test('gets it from the next process, which finds the Job', async () => {
    await bench.controllers().stop()
    const run = await bench.create('unmarked', 'exit 7')
    await createLeftJob(bench.client, run, 'exit 0')
    await bench.restart()
    const ended = await bench.untilFinished('unmarked')
    expect(said(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(ended.metadata.finalizers).toEqual([finalizer])
    expect(bench.writes.filter((write) => write === 'create jobs unmarked-job')).toEqual([])
  })

  test('takes its Job and its program along when it is deleted', async () => {
    await bench.controllers().stop()
    const run = await bench.create('short-lived', 'exit 7')
    await createLeftJob(bench.client, run, 'sleep 600')
    await eventually(async () => (await podsOf('short-lived')) === 1, 'its pod was never created')
    await bench.remove('short-lived')
    await expect(bench.get('short-lived')).rejects.toSatisfy(isNotFound)
    await eventually(
      async () => (await bench.jobsOf('short-lived')).length === 0,
      'its Job is left',
    )
    await eventually(async () => (await podsOf('short-lived')) === 0, 'its pod is left')
    await bench.restart()
  })

  test('is stopped when it is to be deleted and somebody else holds it', async () => {
    await bench.controllers().stop()
    const run = await bench.create('held', 'exit 7')
    await createLeftJob(bench.client, run, 'sleep 600')
    await mark('held', ['example.com/hold'])
    await bench.remove('held')
    await bench.restart()
    await eventually(async () => (await bench.jobsOf('held')).length === 0, 'its Job is left')
    await eventually(async () => (await podsOf('held')) === 0, 'its pod is left')
    expect((await bench.get('held')).metadata.finalizers).toEqual(['example.com/hold'])
    await mark('held', null)
    await eventually(
      () => bench.get('held').then(() => false, isNotFound),
      'the run is kept by nobody, and is there',
    )
  })
})

async function podsOf(run: string): Promise<number> {
  const { items } = await bench.client.list(PodKind, { namespace: 'agents' })
  return items.filter(({ metadata }) => metadata.name.startsWith(`${run}-job`)).length
}

async function mark(name: string, finalizers: string[] | null): Promise<void> {
  const body = { metadata: { finalizers } }
  await bench.client.patch(runKind, { namespace: 'agents', name }, { type: 'merge', body })
}
