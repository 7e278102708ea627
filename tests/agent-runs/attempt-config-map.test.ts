import { type ConfigMap, ConfigMapKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, messageOf, patience, said, startBench } from './bench.ts'

// The ConfigMap of an attempt is in no cache: what is there already is found when it is created.
let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

const configMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'agents', labels: { 'agents.proompteng.ai/attempt': '1' } },
  data: { 'run.json': '{}', 'agent-runner.json': '{}' },
})

describe('the ConfigMap of an attempt', patience, () => {
  test('is found after a crash between it and the Job', async () => {
    await bench.controllers().stop()
    const run = await bench.create('half-made', 'exit 0')
    await bench.client.create(ConfigMapKind, withController(configMap('half-made-spec'), run))
    await bench.restart()
    expect(said(await bench.untilFinished('half-made'), 'Succeeded')).toBe('True/Succeeded')
  })

  test('goes before the next attempt, and that of the last stays with the run', async () => {
    const others = configMap('stubborn-inputs-attempt-2')
    await bench.client.create(ConfigMapKind, others)
    await bench.create('stubborn', 'exit 1', { retries: 2, retryBackoffSeconds: 0 })
    const run = await bench.untilFinished('stubborn')
    expect(said(run, 'Succeeded')).toBe('False/RetriesExhausted')
    const { items } = await bench.client.list(ConfigMapKind, { namespace: 'agents' })
    const names = items.map(({ metadata }) => metadata.name)
    expect(names.filter((name) => name.startsWith('stubborn-')).toSorted()).toEqual([
      others.metadata.name,
      'stubborn-spec-attempt-3',
    ])
  })

  test('of somebody else keeps the work from beginning until it is gone', async () => {
    await bench.client.create(ConfigMapKind, configMap('squatted-spec'))
    await bench.create('squatted', 'exit 0')
    const run = await bench.until('squatted', (one) => said(one, 'Started').includes('CheckFailed'))
    expect(messageOf(run, 'Started')).toContain('squatted-spec is there already')
    expect(await bench.jobsOf('squatted')).toEqual([])
    await bench.client.delete(ConfigMapKind, { namespace: 'agents', name: 'squatted-spec' })
    expect(said(await bench.untilFinished('squatted'), 'Succeeded')).toBe('True/Succeeded')
  })
})
