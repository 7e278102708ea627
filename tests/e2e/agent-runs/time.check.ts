import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobKind, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.stop())

describe('time', pollOptions, () => {
  test.concurrent('a timeout fires without events, and ends the Job', async () => {
    await harness.create('slow', 'sleep 60', { timeoutSeconds: 1 })
    const run = await harness.untilFinished('slow')
    expect(conditionText(run, 'Succeeded')).toBe('False/TimedOut')
    expect(messageOf(run, 'Succeeded')).toBe('timed out after 1 s')
    expect(await harness.jobsOf('slow')).toEqual([])
    const { items } = await harness.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('slow-'))).toEqual([])
    const { startedAt = '', finishedAt = '' } = run.status ?? {}
    expect(Date.parse(finishedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(1000)
  })

  const report = { outcome: 'timedOut', reason: 'TimedOut', message: 'too long', exitCode: 124 }
  const stoppedByRunner = `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"; exit 124`

  test.concurrent('a timeout that the runner notices first has the same reason', async () => {
    await harness.create('quick', stoppedByRunner, { timeoutSeconds: 3600, retries: 1 })
    const run = await harness.untilFinished('quick')
    expect(conditionText(run, 'Succeeded')).toBe('False/TimedOut')
    expect(messageOf(run, 'Succeeded')).toContain('timed out after 3600 s')
    expect(run.status).toMatchObject({ exitCode: 124, attempts: 1 })
  })

  test.concurrent('a program cannot claim a timeout that the run does not have', async () => {
    await harness.create('liar', stoppedByRunner)
    const run = await harness.untilFinished('liar')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
  })

  test.concurrent('a retry starts after its backoff, without events, as another Job', async () => {
    const flag = join(tmpdir(), `agents-runs-retry-${process.pid}`)
    const script = `if [ -e ${flag} ]; then rm ${flag}; exit 0; else touch ${flag}; exit 5; fi`
    await harness.create('again', script, { retries: 2, retryBackoffSeconds: 1 })
    const between = await harness.until(
      'again',
      (run) => conditionText(run, 'Finished') === 'False/Retrying',
      'Retrying',
    )
    expect(messageOf(between, 'Finished')).toMatch(
      /^attempt 1 of 3: exit code 5; retrying at \d{4}-\d\d-\d\dT[\d:]+Z$/,
    )
    expect(conditionText(between, 'Started')).toBe('True/Started')
    expect(between.status).toMatchObject({ phase: 'Running', exitCode: 5, attempts: 1 })
    const run = await harness.untilFinished('again')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status).toMatchObject({ exitCode: 0, attempts: 2 })
    expect(run.status?.startedAt).toBe(between.status?.startedAt)
    const [job, ...others] = await harness.jobsOf('again')
    expect(others).toEqual([])
    expect(job?.metadata.name).toBe('again-job-attempt-2')
  })

  test.concurrent('the failed attempt and its reason can be read until the next attempt starts', async () => {
    await harness.create('resting', 'exit 6', { retries: 1, retryBackoffSeconds: 3600 })
    const first = await harness.until(
      'resting',
      (run) => conditionText(run, 'Finished') === 'False/Retrying',
    )
    await harness.patch('resting', { ttlSecondsAfterFinished: 60 })
    const later = await harness.until('resting', (run) => run.status?.observedGeneration === 2)
    expect(messageOf(later, 'Finished')).toBe(messageOf(first, 'Finished'))
    expect(messageOf(later, 'Finished')).toContain('exit code 6')
    const [job] = await harness.jobsOf('resting')
    expect(job?.metadata.name).toBe('resting-job')
    expect(job?.metadata.deletionTimestamp).toBeUndefined()
  })

  test.concurrent('the agent’s defaults apply to fields that the run omits', async () => {
    await harness.createAgent('patient', { defaults: { retryLimit: 1, retryBackoffSeconds: 0 } })
    await harness.create('defaulted', 'exit 1', { agentRef: { name: 'patient' } })
    const run = await harness.untilFinished('defaulted')
    expect(conditionText(run, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(run.status?.attempts).toBe(2)
  })

  test.concurrent('a deleted Job is followed by the next attempt', async () => {
    const flag = join(tmpdir(), `agents-runs-robbed-${process.pid}`)
    const script = `if [ -e ${flag} ]; then rm ${flag}; else touch ${flag}; sleep 600; fi`
    await harness.create('robbed', script, { retries: 1, retryBackoffSeconds: 0 })
    await harness.until(
      'robbed',
      (run) => conditionText(run, 'Started') === 'True/Started',
      'its start',
    )
    await until(async () => existsSync(flag), 'its program has not begun')
    await harness.client.delete(
      JobKind,
      { namespace: 'agents', name: 'robbed-job' },
      { propagationPolicy: 'Background' },
    )
    const run = await harness.untilFinished('robbed')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.attempts).toBe(2)
  })

  test.concurrent('a deleted Job fails a run without retries', async () => {
    await harness.create('lost', 'sleep 60')
    await harness.until(
      'lost',
      (run) => conditionText(run, 'Started') === 'True/Started',
      'its start',
    )
    await harness.client.delete(
      JobKind,
      { namespace: 'agents', name: 'lost-job' },
      { propagationPolicy: 'Background' },
    )
    const run = await harness.untilFinished('lost')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobMissing')
    expect(run.status?.finishedAt).toBeDefined()
  })

  test.concurrent('a finished run is deleted when its TTL expires, and one with TTL 0 is kept', async () => {
    await harness.create('short', 'exit 0', { ttlSecondsAfterFinished: 1 })
    await harness.create('kept', 'exit 0', { ttlSecondsAfterFinished: 0 })
    await harness.untilFinished('kept')
    await harness.untilGone('short')
    expect(conditionText(await harness.get('kept'), 'Succeeded')).toBe('True/Succeeded')
    expect(harness.writes.filter((write) => write === 'delete agentruns short')).toHaveLength(1)
  })

  test.concurrent('the Job of a finished run is deleted when its TTL expires, but not before the outcome is recorded', async () => {
    const runtime = { type: 'job', config: { ttlSecondsAfterFinished: 1 } } as const
    await harness.create('recorded', 'exit 0', { runtime })
    await harness.untilFinished('recorded')
    await until(
      async () => (await harness.jobsOf('recorded')).length === 0,
      'its Job is still there',
    )
    const order = harness.writes.filter((write) => write.includes('recorded'))
    expect(order.filter((write) => write === 'delete jobs recorded-job')).toHaveLength(1)
    expect(order.lastIndexOf('patch agentruns/status recorded')).toBeLessThan(
      order.indexOf('delete jobs recorded-job'),
    )
    expect(conditionText(await harness.get('recorded'), 'Succeeded')).toBe('True/Succeeded')
  })
})
