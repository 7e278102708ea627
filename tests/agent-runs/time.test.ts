import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobKind, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, messageOf, patience, said, startBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

describe('time', patience, () => {
  test.concurrent('a timeout fires without events, and ends the Job', async () => {
    await bench.create('slow', 'sleep 60', { timeoutSeconds: 1 })
    const run = await bench.untilFinished('slow')
    expect(said(run, 'Succeeded')).toBe('False/TimedOut')
    expect(messageOf(run, 'Succeeded')).toBe('it took longer than 1 s')
    expect(await bench.jobsOf('slow')).toEqual([])
    const { items } = await bench.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('slow-'))).toEqual([])
    const { startedAt = '', finishedAt = '' } = run.status ?? {}
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(1000)
  })

  test.concurrent('a retry comes after its back-off, without events, as another Job', async () => {
    const flag = join(tmpdir(), `agents-runs-retry-${process.pid}`)
    const script = `if [ -e ${flag} ]; then rm ${flag}; exit 0; else touch ${flag}; exit 5; fi`
    await bench.create('again', script, { retries: 2, retryBackoffSeconds: 1 })
    const between = await bench.until(
      'again',
      (run) => said(run, 'Finished') === 'False/Retrying',
      'Retrying',
    )
    expect(messageOf(between, 'Finished')).toMatch(
      /^attempt 1 of 3: exit code 5; it is tried again at \d{4}-\d\d-\d\dT[\d:]+Z$/,
    )
    expect(said(between, 'Started')).toBe('True/Started')
    expect(between.status).toMatchObject({ phase: 'Running', exitCode: 5, attempts: 1 })
    const run = await bench.untilFinished('again')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status).toMatchObject({ exitCode: 0, attempts: 2 })
    expect(run.status?.startedAt).toBe(between.status?.startedAt)
    const [job, ...others] = await bench.jobsOf('again')
    expect(others).toEqual([])
    expect(job?.metadata.name).toBe('again-job-attempt-2')
  })

  test.concurrent('until the next attempt the failed one can be read, and why it failed', async () => {
    await bench.create('resting', 'exit 6', { retries: 1, retryBackoffSeconds: 3600 })
    const first = await bench.until('resting', (run) => said(run, 'Finished') === 'False/Retrying')
    await bench.patch('resting', { ttlSecondsAfterFinished: 60 })
    const later = await bench.until('resting', (run) => run.status?.observedGeneration === 2)
    expect(messageOf(later, 'Finished')).toBe(messageOf(first, 'Finished'))
    expect(messageOf(later, 'Finished')).toContain('exit code 6')
    const [job] = await bench.jobsOf('resting')
    expect(job?.metadata.name).toBe('resting-job')
    expect(job?.metadata.deletionTimestamp).toBeUndefined()
  })

  test.concurrent('the agent’s defaults count where the run says nothing', async () => {
    await bench.createAgent('patient', { defaults: { retryLimit: 1, retryBackoffSeconds: 0 } })
    await bench.create('defaulted', 'exit 1', { agentRef: { name: 'patient' } })
    const run = await bench.untilFinished('defaulted')
    expect(said(run, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(run.status?.attempts).toBe(2)
  })

  test.concurrent('a Job that vanished is followed by the next attempt', async () => {
    const flag = join(tmpdir(), `agents-runs-robbed-${process.pid}`)
    const script = `if [ -e ${flag} ]; then rm ${flag}; else touch ${flag}; sleep 600; fi`
    await bench.create('robbed', script, { retries: 1, retryBackoffSeconds: 0 })
    await bench.until('robbed', (run) => said(run, 'Started') === 'True/Started', 'its start')
    await eventually(async () => existsSync(flag), 'its program has not begun')
    await bench.client.delete(
      JobKind,
      { namespace: 'agents', name: 'robbed-job' },
      { propagationPolicy: 'Background' },
    )
    const run = await bench.untilFinished('robbed')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.attempts).toBe(2)
  })

  test.concurrent('a Job that vanished ends a run without retries', async () => {
    await bench.create('lost', 'sleep 60')
    await bench.until('lost', (run) => said(run, 'Started') === 'True/Started', 'its start')
    await bench.client.delete(
      JobKind,
      { namespace: 'agents', name: 'lost-job' },
      { propagationPolicy: 'Background' },
    )
    const run = await bench.untilFinished('lost')
    expect(said(run, 'Succeeded')).toBe('False/JobMissing')
    expect(run.status?.finishedAt).toBeDefined()
  })

  test.concurrent('a finished run is deleted when its time is over, and one with 0 is kept', async () => {
    await bench.create('short', 'exit 0', { ttlSecondsAfterFinished: 1 })
    await bench.create('kept', 'exit 0', { ttlSecondsAfterFinished: 0 })
    await bench.untilFinished('kept')
    await bench.untilGone('short')
    expect(said(await bench.get('kept'), 'Succeeded')).toBe('True/Succeeded')
    expect(bench.writes.filter((write) => write === 'delete agentruns short')).toHaveLength(1)
  })

  test.concurrent('the Job of a finished run goes when its time is over, and not before the outcome is on record', async () => {
    const runtime = { type: 'job', config: { ttlSecondsAfterFinished: 1 } } as const
    await bench.create('recorded', 'exit 0', { runtime })
    await bench.untilFinished('recorded')
    await eventually(
      async () => (await bench.jobsOf('recorded')).length === 0,
      'its Job is still there',
    )
    const order = bench.writes.filter((write) => write.includes('recorded'))
    expect(order.filter((write) => write === 'delete jobs recorded-job')).toHaveLength(1)
    expect(order.lastIndexOf('patch agentruns/status recorded')).toBeLessThan(
      order.indexOf('delete jobs recorded-job'),
    )
    expect(said(await bench.get('recorded'), 'Succeeded')).toBe('True/Succeeded')
  })
})
