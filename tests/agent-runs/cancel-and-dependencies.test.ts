import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JobKind, PodKind, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, eventually, messageOf, patience, runKind, said, startBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench({
    environment: { JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '1' },
  })
})
afterAll(() => bench.stop())

const started = (name: string) =>
  bench.until(name, (run) => said(run, 'Started') === 'True/Started', 'its start')

describe('cancel', patience, () => {
  test('stops the Job of a running run, which ends when nothing works any more', async () => {
    await bench.create('running', 'trap "sleep 0.3; exit 0" TERM; sleep 60 & wait')
    await started('running')
    await bench.patch('running', { cancel: true })
    const run = await bench.untilFinished('running')
    expect(said(run, 'Succeeded')).toBe('False/Cancelled')
    expect(said(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status).toMatchObject({ phase: 'Cancelled', attempts: 1 })
    expect(run.status?.finishedAt).toBeDefined()
    expect(await bench.jobsOf('running')).toEqual([])
    const { items } = await bench.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('running-'))).toEqual([])
  })

  test('ends a run that waits in the queue, which never gets a Job', async () => {
    await bench.createAgent('busy')
    const busy = { agentRef: { name: 'busy' } }
    await bench.create('holder', 'sleep 60', busy)
    await started('holder')
    await bench.create('queued', 'exit 0', busy)
    const waiting = await bench.until('queued', (run) => said(run, 'Admitted').startsWith('False'))
    expect(said(waiting, 'Accepted')).toBe('True/Accepted')
    expect(waiting.status?.queue?.position).toBe(1)
    await bench.patch('queued', { cancel: true })
    const run = await bench.untilFinished('queued')
    expect(said(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status?.startedAt).toBeUndefined()
    expect(run.status?.queue).toBeUndefined()
    expect(await bench.jobsOf('queued')).toEqual([])
    await bench.create('next', 'exit 0', busy)
    await bench.patch('holder', { cancel: true })
    const next = await bench.untilFinished('next')
    expect(said(next, 'Succeeded')).toBe('True/Succeeded')
  })

  test('ends a run that waits for something that is missing', async () => {
    await bench.create('orphan', 'exit 0', { agentRef: { name: 'nobody' } })
    await bench.until('orphan', (run) => said(run, 'Accepted').startsWith('False'))
    await bench.patch('orphan', { cancel: true })
    expect(said(await bench.untilFinished('orphan'), 'Finished')).toBe('True/Cancelled')
  })

  test('ends a run between two attempts, and the next never comes', async () => {
    await bench.create('hopeless', 'exit 9', { retries: 3, retryBackoffSeconds: 3600 })
    await bench.until('hopeless', (run) => said(run, 'Succeeded') === 'Unknown/Retrying')
    await bench.patch('hopeless', { cancel: true })
    const run = await bench.untilFinished('hopeless')
    expect(said(run, 'Succeeded')).toBe('False/Cancelled')
    expect(run.status).toMatchObject({ attempts: 1 })
  })

  test('is for good: a run that was cancelled is never submitted', async () => {
    await bench.create('stillborn', 'exit 0', { cancel: true })
    const run = await bench.untilFinished('stillborn')
    expect(said(run, 'Finished')).toBe('True/Cancelled')
    await bench.restart()
    await bench.create('later', 'exit 0')
    await bench.untilFinished('later')
    expect(await bench.jobsOf('stillborn')).toEqual([])
  })

  test('deleting a running run stops its work first', async () => {
    await bench.create('deleted', 'sleep 60')
    const run = await started('deleted')
    expect(run.metadata.finalizers).toEqual(['agents.proompteng.ai/runtime-cleanup'])
    await bench.remove('deleted')
    await bench.untilGone('deleted')
    expect(await bench.jobsOf('deleted')).toEqual([])
    const order = bench.writes.filter(
      (write) => write.endsWith(' deleted') || write.endsWith(' deleted-job'),
    )
    const [begun, stopped] = ['create', 'delete'].map((verb) =>
      order.indexOf(`${verb} jobs deleted-job`),
    )
    expect(order.slice(begun, stopped)).not.toContain('patch agentruns deleted')
    expect(order.slice(stopped)).toContain('patch agentruns deleted')
  })

  test('deleting a run stops its work though what it owns was to be set free', async () => {
    await bench.create('freed', 'sleep 60')
    await started('freed')
    const jobs = async () => {
      const { items } = await bench.client.list(JobKind, { namespace: 'agents' })
      return items.filter(({ metadata }) => metadata.name === 'freed-job')
    }
    await bench.controllers().stop()
    const propagationPolicy = 'Orphan'
    await bench.client.delete(
      runKind,
      { namespace: 'agents', name: 'freed' },
      { propagationPolicy },
    )
    await eventually(async () => {
      const [job] = await jobs()
      return job !== undefined && job.metadata.ownerReferences === undefined
    }, 'its Job was not set free')
    await bench.restart()
    await bench.untilGone('freed')
    expect(await jobs()).toEqual([])
  })

  test('deleting a finished run is not held back', async () => {
    await bench.create('over', 'exit 0')
    await bench.untilFinished('over')
    await bench.remove('over')
    await bench.untilGone('over')
  })
})

describe('dependencies', patience, () => {
  test('a run waits for its Agent, says so, and goes on when it comes', async () => {
    await bench.create('early', 'exit 0', { agentRef: { name: 'late' } })
    const waiting = await bench.until('early', (run) => said(run, 'Accepted') !== 'absent')
    expect(said(waiting, 'Accepted')).toBe('False/DependencyMissing')
    expect(said(waiting, 'Succeeded')).toBe('Unknown/DependencyMissing')
    expect(messageOf(waiting, 'Accepted')).toContain('late')
    expect(said(waiting, 'Admitted')).toBe('Unknown/Blocked')
    expect(waiting.status?.phase).toBe('Pending')
    await bench.createAgent('late')
    const run = await bench.untilFinished('early')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
  })

  test('a run waits for its Secret, says so, and goes on when it comes', async () => {
    await bench.create('unequipped', 'test "$TOOL" = hammer', { secrets: ['toolbox'] })
    const waiting = await bench.until('unequipped', (run) => said(run, 'Accepted') !== 'absent')
    expect(said(waiting, 'Accepted')).toBe('False/DependencyMissing')
    expect(waiting.status?.phase).toBe('Pending')
    const metadata = { namespace: 'agents', name: 'toolbox' }
    await bench.client.create(SecretKind, { metadata, stringData: { TOOL: 'hammer' } })
    expect(said(await bench.untilFinished('unequipped'), 'Succeeded')).toBe('True/Succeeded')
  })

  test('deleting the Agent of a running run changes nothing for it', async () => {
    await bench.createAgent('leaving')
    const flag = join(tmpdir(), `agents-runs-survivor-${process.pid}`)
    const script = `while [ ! -e ${flag} ]; do sleep 0.1; done; rm ${flag}`
    await bench.create('survivor', script, { agentRef: { name: 'leaving' } })
    await started('survivor')
    await bench.removeAgent('leaving')
    await writeFile(flag, '')
    const run = await bench.untilFinished('survivor')
    expect(said(run, 'Accepted')).toBe('True/Accepted')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
  })
})
