import { type ConfigMap, ConfigMapKind, withController } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  startHarness,
} from './run-harness.ts'

/** Too large for the annotations of a pod, so that the run gets a ConfigMap. */
const large = { implementation: { inline: { text: 'x'.repeat(9000) } } }

// The ConfigMap of an attempt is not cached: an existing one is detected when it is created.
let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.stop())

function configMap(name: string): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'agents', labels: { 'agents.proompteng.ai/attempt': '1' } },
    data: { 'run.json': '{}', 'agent-runner.json': '{}' },
  }
}

describe('the ConfigMap of an attempt', pollOptions, () => {
  test('is reused after a crash between its creation and that of the Job', async () => {
    await harness.controllers().stop()
    const run = await harness.create('half-made', 'exit 0', large)
    await harness.client.create(ConfigMapKind, withController(configMap('half-made-spec'), run))
    await harness.restart()
    expect(conditionText(await harness.untilFinished('half-made'), 'Succeeded')).toBe(
      'True/Succeeded',
    )
  })

  test('is deleted before the next attempt, and that of the last attempt stays with the run', async () => {
    const others = configMap('stubborn-inputs-attempt-2')
    await harness.client.create(ConfigMapKind, others)
    await harness.create('stubborn', 'exit 1', {
      ...large,
      retries: 2,
      retryBackoffSeconds: 0,
    })
    const run = await harness.untilFinished('stubborn')
    expect(conditionText(run, 'Succeeded')).toBe('False/RetriesExhausted')
    const { items } = await harness.client.list(ConfigMapKind, { namespace: 'agents' })
    const names = items.map(({ metadata }) => metadata.name)
    expect(names.filter((name) => name.startsWith('stubborn-')).toSorted()).toEqual([
      others.metadata.name,
      'stubborn-spec-attempt-3',
    ])
  })

  test('that belongs to another owner blocks the run until it is deleted', async () => {
    await harness.client.create(ConfigMapKind, configMap('squatted-spec'))
    await harness.create('squatted', 'exit 0', large)
    const run = await harness.until('squatted', (one) =>
      conditionText(one, 'Started').includes('CheckFailed'),
    )
    expect(messageOf(run, 'Started')).toContain('squatted-spec already exists')
    expect(await harness.jobsOf('squatted')).toEqual([])
    await harness.client.delete(ConfigMapKind, { namespace: 'agents', name: 'squatted-spec' })
    expect(conditionText(await harness.untilFinished('squatted'), 'Succeeded')).toBe(
      'True/Succeeded',
    )
  })
})
