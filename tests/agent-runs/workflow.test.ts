import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bench, messageOf, patience, type RunSpec, said, startBench } from './bench.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

type Step = NonNullable<NonNullable<RunSpec['workflow']>['steps']>[number]

function workflow(...steps: (Omit<Step, 'parameters'> & { script: string })[]): RunSpec {
  return {
    runtime: { type: 'workflow' },
    workflow: {
      steps: steps.map(({ script, ...step }) => ({ ...step, parameters: { script } }) as Step),
    },
  }
}

describe('workflow', patience, () => {
  test.concurrent('steps run one after the other, each as a Job', async () => {
    const log = join(tmpdir(), `agents-runs-steps-${process.pid}`)
    const say = (word: string) => `echo ${word} >> ${log}`
    await bench.create(
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
    const run = await bench.untilFinished('steps')
    expect(messageOf(run, 'Succeeded')).toBe('all 2 steps are done')
    expect(said(run, 'Succeeded')).toBe('True/Succeeded')
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

  test.concurrent('a failed step is tried again, its Job gone by then; what comes after it never begins', async () => {
    await bench.create(
      'stumble',
      'exit 9',
      workflow(
        { name: 'trips', script: 'exit 6', retries: 1, retryBackoffSeconds: 0 },
        { name: 'never', script: 'exit 0' },
      ),
    )
    const run = await bench.untilFinished('stumble')
    expect(said(run, 'Succeeded')).toBe('False/WorkflowStepRetriesExhausted')
    expect(messageOf(run, 'Succeeded')).toBe('step 1 of 2 (trips): attempt 2 of 2: exit code 6')
    const jobs = await bench.jobsOf('stumble')
    expect(jobs.map(({ metadata }) => metadata.name)).toEqual(['stumble-step-1-attempt-2'])
    expect(run.status?.workflow?.steps).toMatchObject([
      { phase: 'Failed', attempt: 2 },
      { name: 'never', phase: 'Pending' },
    ])
    const order = bench.writes.filter((write) => write.includes('jobs stumble'))
    expect(order.slice(0, 3)).toEqual([
      'create jobs stumble-step-1-attempt-1',
      'delete jobs stumble-step-1-attempt-1',
      'create jobs stumble-step-1-attempt-2',
    ])
  })

  test.concurrent('a step timeout kills its Job and fires without events', async () => {
    await bench.create(
      'stuck',
      'exit 9',
      workflow({ name: 'hangs', script: 'sleep 60', timeoutSeconds: 1 }),
    )
    const run = await bench.untilFinished('stuck')
    expect(said(run, 'Succeeded')).toBe('False/WorkflowStepTimedOut')
    expect(await bench.jobsOf('stuck')).toEqual([])
    const { items } = await bench.client.list(PodKind, { namespace: 'agents' })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('stuck-'))).toEqual([])
  })

  test.concurrent('what a step reports is there for later ones', async () => {
    await bench.createProvider('greeter', [
      '-c',
      '{{ inputs.script }}',
      'sh',
      '{{ inputs.greeting }}',
    ])
    await bench.createAgent('greeter', { providerRef: { name: 'greeter' } })
    const report = {
      outcome: 'succeeded',
      reason: 'Succeeded',
      message: 'done',
      exitCode: 0,
      outputs: { greeting: 'hello' },
    }
    const script = `printf %s '${JSON.stringify(report)}' > "$AGENTS_TERMINATION_LOG"`
    await bench.create('relay', 'exit 9', {
      agentRef: { name: 'greeter' },
      runtime: { type: 'workflow' },
      workflow: {
        steps: [
          { name: 'say', parameters: { script, greeting: 'none' } },
          { name: 'hear', parameters: { script: '[ "$1" = hello ]' } },
        ],
      },
    })
    const run = await bench.untilFinished('relay')
    expect(said(run, 'Succeeded'), messageOf(run, 'Succeeded')).toBe('True/Succeeded')
    expect(run.status?.workflow?.steps?.[0]?.outputs).toEqual({ greeting: 'hello' })
  })

  test.concurrent('cancelling stops the step that runs', async () => {
    await bench.create(
      'halted',
      'exit 9',
      workflow({ name: 'long', script: 'sleep 60' }, { name: 'never', script: 'exit 0' }),
    )
    await bench.until('halted', (run) => said(run, 'Started') === 'True/Started', 'its start')
    await bench.patch('halted', { cancel: true })
    const run = await bench.untilFinished('halted')
    expect(said(run, 'Finished')).toBe('True/Cancelled')
    expect(run.status).toMatchObject({
      phase: 'Cancelled',
      workflow: {
        steps: [
          { name: 'long', phase: 'Failed' },
          { name: 'never', phase: 'Pending' },
        ],
      },
    })
    expect(await bench.jobsOf('halted')).toEqual([])
  })
})
