import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PodKind } from '@agents/kube'
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
let folder: string
beforeAll(async () => {
  harness = await startHarness()
  folder = await mkdtemp(join(tmpdir(), 'agents-retries-'))
})
afterAll(async () => {
  await harness.stop()
  await rm(folder, { recursive: true, force: true })
})

/** The first script in the first attempt, the second one in all others. */
function firstThen(name: string, first: string, then: string): string {
  return `if mkdir ${join(folder, name)} 2>/dev/null; then ${first}; else ${then}; fi`
}

function createdJobs(name: string): string[] {
  return harness.writes.filter((write) => write.startsWith(`create jobs ${name}-`))
}

async function evictPodOf(name: string): Promise<void> {
  const { items } = await harness.client.list(PodKind, { namespace: 'agents' })
  const pod = items.find(({ metadata }) => metadata.name.startsWith(`${name}-`))
  if (pod === undefined) throw new Error('the run has no pod')
  await harness.client.evict({ namespace: 'agents', name: pod.metadata.name })
}

function report(reason: string, rest: object = {}): string {
  const whole = { outcome: 'failed', reason, message: 'refused', exitCode: 1, ...rest }
  return `printf %s '${JSON.stringify(whole)}' > "$AGENTS_TERMINATION_LOG"; exit 1`
}

describe('a failed attempt', pollOptions, () => {
  test.concurrent('is retried after a wait that the status shows', async () => {
    await harness.create('patient', 'exit 3', {
      retries: 1,
      retryBackoffSeconds: 2,
      retryOn: ['Error'],
    })
    const waiting = await harness.until(
      'patient',
      ({ status }) => status?.nextRetryAt !== undefined,
      'its wait',
    )
    const { nextRetryAt, failureClass } = waiting.status ?? {}
    expect(conditionText(waiting, 'Succeeded')).toBe('Unknown/Retrying')
    expect(messageOf(waiting, 'Succeeded')).toBe(
      `attempt 1 of 2: exit code 3; retrying at ${nextRetryAt}`,
    )
    expect(failureClass).toBe('Error')
    const ended = await harness.untilFinished('patient')
    expect(conditionText(ended, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(ended.status).toMatchObject({ attempts: 2, failureClass: 'Error' })
    expect(ended.status).not.toHaveProperty('nextRetryAt')
  })

  test.concurrent('is not retried if its class is not listed', async () => {
    await harness.create('picky', 'exit 3', { retries: 5, retryOn: ['Evicted', 'RateLimited'] })
    const run = await harness.untilFinished('picky')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(messageOf(run, 'Succeeded')).toBe(
      'attempt 1 of 6: exit code 3; not retried, because its class is Error',
    )
    expect(run.status).toMatchObject({ attempts: 1, failureClass: 'Error' })
  })

  test.concurrent('is never retried if its documents are not valid', async () => {
    await harness.create('invalid', report('InvalidSpec'), { retries: 5 })
    const run = await harness.untilFinished('invalid')
    expect(conditionText(run, 'Succeeded')).toBe('False/JobFailed')
    expect(run.status).toMatchObject({ attempts: 1, failureClass: 'InvalidSpec' })
  })

  test.concurrent('is retried when the model has asked for it, and the run succeeds', async () => {
    const limited = report('RateLimited', { retryAfterSeconds: 12 })
    await harness.create('limited', firstThen('limited', limited, 'exit 0'), {
      retries: 1,
      retryOn: ['RateLimited'],
    })
    const waiting = await harness.until(
      'limited',
      ({ status }) => status?.nextRetryAt !== undefined,
      'its wait',
    )
    const { nextRetryAt = '', updatedAt = '', failureClass } = waiting.status ?? {}
    expect(failureClass).toBe('RateLimited')
    expect(Date.parse(nextRetryAt) - Date.parse(updatedAt)).toBeGreaterThanOrEqual(12_000)
    const ended = await harness.untilFinished('limited')
    expect(conditionText(ended, 'Succeeded')).toBe('True/Succeeded')
    expect(ended.status).toMatchObject({ attempts: 2 })
    expect(ended.status).not.toHaveProperty('failureClass')
    expect(ended.status).not.toHaveProperty('nextRetryAt')
  })

  test.concurrent('whose pod is evicted is retried', async () => {
    await harness.create('evicted', firstThen('evicted', 'sleep 100', 'exit 0'), {
      retries: 1,
      retryOn: ['Evicted'],
    })
    await harness.until('evicted', (run) => conditionText(run, 'Started') === 'True/Started')
    await evictPodOf('evicted')
    const run = await harness.untilFinished('evicted')
    expect(conditionText(run, 'Succeeded'), messageOf(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.attempts).toBe(2)
  })

  test.concurrent('whose pod is evicted is not retried for another class', async () => {
    await harness.create('drained', 'sleep 100', { retries: 1, retryOn: ['Error'] })
    await harness.until('drained', (run) => conditionText(run, 'Started') === 'True/Started')
    await evictPodOf('drained')
    const run = await harness.untilFinished('drained')
    expect(run.status).toMatchObject({ attempts: 1, failureClass: 'Evicted' })
  })
})

describe('a cancelled run', pollOptions, () => {
  test('waits for no retry', async () => {
    await harness.create('abandoned', 'exit 3', { retries: 1, retryBackoffSeconds: 3600 })
    await harness.until('abandoned', ({ status }) => status?.nextRetryAt !== undefined)
    await harness.patch('abandoned', { cancel: true })
    const run = await harness.untilFinished('abandoned')
    expect(conditionText(run, 'Succeeded')).toBe('False/Cancelled')
    expect(run.status).not.toHaveProperty('nextRetryAt')
  })
})

describe('a step', pollOptions, () => {
  const steps = { steps: [{ name: 'trips', parameters: { script: 'exit 6' } }] }

  test.concurrent('has the retries of its run', async () => {
    await harness.create('of-run', 'exit 9', {
      runtime: { type: 'workflow' },
      workflow: steps,
      retries: 1,
    })
    const run = await harness.untilFinished('of-run')
    expect(conditionText(run, 'Succeeded')).toBe('False/WorkflowStepRetriesExhausted')
    expect(messageOf(run, 'Succeeded')).toBe('step 1 of 1 (trips): attempt 2 of 2: exit code 6')
  })

  test.concurrent('has the retries of its agent, for the failures of its run', async () => {
    await harness.createAgent('stubborn', { defaults: { retryLimit: 1 } })
    const spec = { agentRef: { name: 'stubborn' }, runtime: { type: 'workflow' }, workflow: steps }
    await harness.create('of-agent', 'exit 9', spec as never)
    await harness.create('of-both', 'exit 9', { ...spec, retryOn: ['Timeout'] } as never)
    const byAgent = await harness.untilFinished('of-agent')
    expect(byAgent.status?.attempts).toBe(2)
    const byBoth = await harness.untilFinished('of-both')
    expect(conditionText(byBoth, 'Succeeded')).toBe('False/WorkflowStepFailed')
    expect(byBoth.status).toMatchObject({ attempts: 1, failureClass: 'Error' })
  })
})

describe('the API server', pollOptions, () => {
  test.each([
    { because: 'a class that does not exist', retryOn: ['Anything'] },
    { because: 'a class that is never retried', retryOn: ['InvalidSpec'] },
    { because: 'a class twice', retryOn: ['Error', 'Error'] },
    { because: 'no class', retryOn: [] },
  ])('refuses $because', async ({ retryOn }) => {
    const created = harness.create('refused', 'exit 0', { retryOn: retryOn as never })
    await expect(created).rejects.toThrow(/retryOn/)
    await expect(
      harness.createAgent('refused', { defaults: { retryOn: retryOn as never } }),
    ).rejects.toThrow(/retryOn/)
  })
})

describe('controllers that end between attempts', pollOptions, () => {
  test('wait until the same time, and make no attempt twice', async () => {
    await harness.create('hard', 'exit 5', { retries: 2, retryBackoffSeconds: 2 })
    const first = await harness.until('hard', ({ status }) => status?.nextRetryAt !== undefined)
    await harness.restart()
    const still = await harness.get('hard')
    if (still.status?.attempts === 1) {
      expect(still.status.nextRetryAt).toBe(first.status?.nextRetryAt)
    }
    const other = await harness.second()
    await until(async () => (await harness.get('hard')).status?.attempts === 2)
    await harness.restart()
    const run = await harness.untilFinished('hard')
    await other.stop()
    expect(conditionText(run, 'Succeeded')).toBe('False/RetriesExhausted')
    expect(run.status?.attempts).toBe(3)
    expect(new Set(createdJobs('hard')).size).toBe(3)
  })
})
