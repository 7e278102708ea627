import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobKind, PodKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  runKind,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness({
    environment: { JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '1' },
  })
})
afterAll(() => harness.stop())

function started(name: string) {
  return harness.until(name, (run) => conditionText(run, 'Started') === 'True/Started', 'its start')
}

describe('cancel', pollOptions, () => {
  test('stops the Job of a running run, which finishes when all its pods have ended', async () => {
    await harness.create('running', 'trap "sleep 0.3; exit 0" TERM; sleep 60 & wait')
    await started('running')
    await harness.patch('running', { cancel: true })
    const run = await harness.untilFinished('running')
    expect(conditionText(run, 'Succeeded')).toBe('False/Cancelled')
    expect(conditionText(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status).toMatchObject({ phase: 'Cancelled', attempts: 1 })
    expect(run.status?.finishedAt).toBeDefined()
    expect(await harness.jobsOf('running')).toEqual([])
    const { items } = await harness.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('running-'))).toEqual([])
  })

  test('ends a run that waits in the queue, which never gets a Job', async () => {
    await harness.createAgent('busy')
    const busy = { agentRef: { name: 'busy' } }
    await harness.create('holder', 'sleep 60', busy)
    await started('holder')
    await harness.create('queued', 'exit 0', busy)
    const waiting = await harness.until('queued', (run) =>
      conditionText(run, 'Admitted').startsWith('False'),
    )
    expect(conditionText(waiting, 'Accepted')).toBe('True/Accepted')
    expect(waiting.status?.queue?.position).toBe(1)
    await harness.patch('queued', { cancel: true })
    const run = await harness.untilFinished('queued')
    expect(conditionText(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status?.startedAt).toBeUndefined()
    expect(run.status?.queue).toBeUndefined()
    expect(await harness.jobsOf('queued')).toEqual([])
    await harness.create('next', 'exit 0', busy)
    await harness.patch('holder', { cancel: true })
    const next = await harness.untilFinished('next')
    expect(conditionText(next, 'Succeeded')).toBe('True/Succeeded')
  })

  test('ends a run that waits for a missing dependency', async () => {
    await harness.create('orphan', 'exit 0', { agentRef: { name: 'nobody' } })
    await harness.until('orphan', (run) => conditionText(run, 'Accepted').startsWith('False'))
    await harness.patch('orphan', { cancel: true })
    expect(conditionText(await harness.untilFinished('orphan'), 'Finished')).toBe('True/Cancelled')
  })

  test('ends a run between two attempts, and there is no further attempt', async () => {
    await harness.create('hopeless', 'exit 9', { retries: 3, retryBackoffSeconds: 3600 })
    await harness.until('hopeless', (run) => conditionText(run, 'Succeeded') === 'Unknown/Retrying')
    await harness.patch('hopeless', { cancel: true })
    const run = await harness.untilFinished('hopeless')
    expect(conditionText(run, 'Succeeded')).toBe('False/Cancelled')
    expect(run.status).toMatchObject({ attempts: 1 })
  })

  test('is permanent: a cancelled run is never submitted', async () => {
    await harness.create('stillborn', 'exit 0', { cancel: true })
    const run = await harness.untilFinished('stillborn')
    expect(conditionText(run, 'Finished')).toBe('True/Cancelled')
    await harness.restart()
    await harness.create('later', 'exit 0')
    await harness.untilFinished('later')
    expect(await harness.jobsOf('stillborn')).toEqual([])
  })

  test('deleting a running run stops its work first', async () => {
    await harness.create('deleted', 'sleep 60')
    const run = await started('deleted')
    expect(run.metadata.finalizers).toEqual(['agents.proompteng.ai/runtime-cleanup'])
    await harness.remove('deleted')
    await harness.untilGone('deleted')
    expect(await harness.jobsOf('deleted')).toEqual([])
    const order = harness.writes.filter(
      (write) => write.endsWith(' deleted') || write.endsWith(' deleted-job'),
    )
    const [begun, stopped] = ['create', 'delete'].map((verb) =>
      order.indexOf(`${verb} jobs deleted-job`),
    )
    expect(order.slice(begun, stopped)).not.toContain('patch agentruns deleted')
    expect(order.slice(stopped)).toContain('patch agentruns deleted')
  })

  test('deleting a run with the Orphan policy still stops its Job', async () => {
    await harness.create('freed', 'sleep 60')
    await started('freed')
    const jobs = async () => {
      const { items } = await harness.client.list(JobKind, { namespace: 'agents' })
      return items.filter(({ metadata }) => metadata.name === 'freed-job')
    }
    await harness.controllers().stop()
    const propagationPolicy = 'Orphan'
    await harness.client.delete(
      runKind,
      { namespace: 'agents', name: 'freed' },
      { propagationPolicy },
    )
    await until(async () => {
      const [job] = await jobs()
      return job !== undefined && job.metadata.ownerReferences === undefined
    }, 'its Job was not set free')
    await harness.restart()
    await harness.untilGone('freed')
    expect(await jobs()).toEqual([])
  })

  test('deleting a finished run is not delayed', async () => {
    await harness.create('over', 'exit 0')
    await harness.untilFinished('over')
    await harness.remove('over')
    await harness.untilGone('over')
  })
})

describe('dependencies', pollOptions, () => {
  test('a run waits for its Agent, reports it, and continues when the Agent is created', async () => {
    await harness.create('early', 'exit 0', { agentRef: { name: 'late' } })
    const waiting = await harness.until(
      'early',
      (run) => conditionText(run, 'Accepted') !== 'absent',
    )
    expect(conditionText(waiting, 'Accepted')).toBe('False/DependencyMissing')
    expect(conditionText(waiting, 'Succeeded')).toBe('Unknown/DependencyMissing')
    expect(messageOf(waiting, 'Accepted')).toContain('late')
    expect(conditionText(waiting, 'Admitted')).toBe('Unknown/Blocked')
    expect(waiting.status?.phase).toBe('Pending')
    await harness.createAgent('late')
    const run = await harness.untilFinished('early')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
  })

  test('a run waits for its Secret, reports it, and continues when the Secret is created', async () => {
    await harness.create('unequipped', 'test "$TOOL" = hammer', { secrets: ['toolbox'] })
    const waiting = await harness.until(
      'unequipped',
      (run) => conditionText(run, 'Accepted') !== 'absent',
    )
    expect(conditionText(waiting, 'Accepted')).toBe('False/DependencyMissing')
    expect(waiting.status?.phase).toBe('Pending')
    const metadata = { namespace: 'agents', name: 'toolbox' }
    await harness.client.create(SecretKind, { metadata, stringData: { TOOL: 'hammer' } })
    expect(conditionText(await harness.untilFinished('unequipped'), 'Succeeded')).toBe(
      'True/Succeeded',
    )
  })

  test('deleting the Agent of a running run does not affect the run', async () => {
    await harness.createAgent('leaving')
    const flag = join(tmpdir(), `agents-runs-survivor-${process.pid}`)
    const script = `while [ ! -e ${flag} ]; do sleep 0.1; done; rm ${flag}`
    await harness.create('survivor', script, { agentRef: { name: 'leaving' } })
    await started('survivor')
    await harness.removeAgent('leaving')
    await writeFile(flag, '')
    const run = await harness.untilFinished('survivor')
    expect(conditionText(run, 'Accepted')).toBe('True/Accepted')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
  })
})
