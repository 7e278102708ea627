import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  type RunSpec,
  startHarness,
} from './run-harness.ts'

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
})
afterAll(() => harness.stop())

type Step = NonNullable<NonNullable<RunSpec['workflow']>['steps']>[number]

function workflow(...steps: (Omit<Step, 'parameters'> & { script: string })[]): RunSpec {
  return {
    runtime: { type: 'workflow' },
    workflow: {
      steps: steps.map(({ script, ...step }) => ({ ...step, parameters: { script } }) as Step),
    },
  }
}

describe('workflow', pollOptions, () => {
  test.concurrent('steps run one after the other, each as a Job', async ({ onTestFinished }) => {
    const log = join(tmpdir(), `agents-runs-steps-${process.pid}`)
    onTestFinished(() => rm(log, { force: true }))
    const say = (word: string) => `echo ${word} >> ${log}`
    await harness.create(
      'steps',
      'exit 9',
      workflow(
        { name: 'first', script: `rm -f ${log}; sleep 0.2; ${say('one')}` },
        {
          name: 'second',
          script: `${say('two')}; [ "$(cat ${log} | tr '\\n' ' ')" = "one two " ]`,
        },
      ),
    )
    const run = await harness.untilFinished('steps')
    expect(messageOf(run, 'Succeeded')).toBe('all 2 steps succeeded')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.attempts).toBe(2)
    expect(run.status?.workflow).toMatchObject({
      phase: 'Succeeded',
      steps: [
        {
          name: 'first',
          phase: 'Succeeded',
          attempt: 1,
          jobRef: { name: 'steps-step-1-attempt-1' },
        },
        {
          name: 'second',
          phase: 'Succeeded',
          attempt: 1,
          jobRef: { name: 'steps-step-2-attempt-1' },
        },
      ],
    })
    for (const step of run.status?.workflow?.steps ?? []) {
      expect(step.startedAt).toBeDefined()
      expect(step.finishedAt).toBeDefined()
    }
  })

  test.concurrent('a failed step is retried after its Job was deleted; later steps never start', async () => {
    await harness.create(
      'stumble',
      'exit 9',
      workflow(
        { name: 'trips', script: 'exit 6', retries: 1, retryBackoffSeconds: 0 },
        { name: 'never', script: 'exit 0' },
      ),
    )
    const run = await harness.untilFinished('stumble')
    expect(conditionText(run, 'Succeeded')).toBe('False/WorkflowStepRetriesExhausted')
    expect(messageOf(run, 'Succeeded')).toBe('step 1 of 2 (trips): attempt 2 of 2: exit code 6')
    const jobs = await harness.jobsOf('stumble')
    expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['stumble-step-1-attempt-2'])
    expect(run.status?.workflow?.steps).toMatchObject([
      { phase: 'Failed', attempt: 2 },
      { name: 'never', phase: 'Pending' },
    ])
    const order = harness.writes.filter((write) => write.includes('jobs stumble'))
    expect(order.slice(0, 3)).toEqual([
      'create jobs stumble-step-1-attempt-1',
      'delete jobs stumble-step-1-attempt-1',
      'create jobs stumble-step-1-attempt-2',
    ])
  })

  test.concurrent('a step timeout kills its Job and fires without events', async () => {
    await harness.create(
      'stuck',
      'exit 9',
      workflow({ name: 'hangs', script: 'sleep 60', timeoutSeconds: 1 }),
    )
    const run = await harness.untilFinished('stuck')
    expect(conditionText(run, 'Succeeded')).toBe('False/WorkflowStepTimedOut')
    expect(await harness.jobsOf('stuck')).toEqual([])
    const { items } = await harness.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('stuck-'))).toEqual([])
  })

  test.concurrent('a step timeout that the runner notices first has the same reason', async () => {
    const report = { outcome: 'timedOut', reason: 'TimedOut', message: 'too long', exitCode: 124 }
    const script = `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"; exit 124`
    await harness.create('early', 'exit 9', workflow({ name: 'a', script, timeoutSeconds: 3600 }))
    const run = await harness.untilFinished('early')
    expect(conditionText(run, 'Succeeded')).toBe('False/WorkflowStepTimedOut')
    expect(messageOf(run, 'Succeeded')).toContain('timed out after 3600 s')
  })

  test.concurrent('outputs of a step are available to later steps', async () => {
    await harness.createProvider('greeter', [
      '-c',
      '{{ inputs.script }}',
      'sh',
      '{{ inputs.greeting }}',
    ])
    await harness.createAgent('greeter', { providerRef: { name: 'greeter' } })
    const report = {
      outcome: 'succeeded',
      reason: 'Succeeded',
      message: 'done',
      exitCode: 0,
      outputs: { greeting: 'hello' },
    }
    const script = `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
    await harness.create('relay', 'exit 9', {
      agentRef: { name: 'greeter' },
      runtime: { type: 'workflow' },
      workflow: {
        steps: [
          { name: 'say', parameters: { script, greeting: 'none' } },
          { name: 'hear', parameters: { script: '[ "$1" = hello ]' } },
        ],
      },
    })
    const run = await harness.untilFinished('relay')
    expect(conditionText(run, 'Succeeded'), messageOf(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.workflow?.steps?.[0]?.outputs).toEqual({ greeting: 'hello' })
  })

  test.concurrent('cancelling stops the running step', async () => {
    await harness.create(
      'halted',
      'exit 9',
      workflow({ name: 'long', script: 'sleep 60' }, { name: 'never', script: 'exit 0' }),
    )
    await harness.until(
      'halted',
      (run) => conditionText(run, 'Started') === 'True/Started',
      'its start',
    )
    await harness.patch('halted', { cancel: true })
    const run = await harness.untilFinished('halted')
    expect(conditionText(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status).toMatchObject({
      phase: 'Cancelled',
      workflow: {
        steps: [
          { name: 'long', phase: 'Failed' },
          { name: 'never', phase: 'Pending' },
        ],
      },
    })
    expect(await harness.jobsOf('halted')).toEqual([])
  })
})
