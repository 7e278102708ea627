import { describe, expect, test } from 'vitest'
import { type StartServer, servers } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { agentsServer } from './agents-server.ts'
import {
  agentRuns,
  agentStep,
  orchestrationRuns,
  orchestrations,
  startOrchestrations,
  stepLabel,
} from './orchestration-harness.ts'

describe.each(await serversOfTier())('orchestration runs on the %s server', (name) => {
  suite(servers[name])
})

function suite(start: StartServer): void {
  const client = agentsServer(start)
  const setUp = (spec: object) => startOrchestrations(client(), spec)

  test('a run plans, implements what was planned, and reviews it', async () => {
    const { run, started, end, finished, current, namespace } = await setUp({
      parameters: [{ name: 'goal', required: true }],
      outputs: { branches: '{{ steps.implement.outputs.branch }}', how: '{{ run.outcome }}' },
      steps: [
        agentStep('plan', { with: { goal: '{{ parameters.goal }}' } }),
        agentStep('implement', {
          dependsOn: ['plan'],
          forEach: { from: 'steps.plan.outputs.parts' },
          implementation: { inline: { text: 'Write {{ item }}' } },
        }),
        agentStep('review', {
          dependsOn: ['implement'],
          with: { branches: '{{ steps.implement.outputs.branch }}' },
        }),
        agentStep('report', { finally: true, with: { outcome: '{{ run.outcome }}' } }),
      ],
    })
    await run({ parameters: { goal: 'a house' } })
    const [plan] = await started('plan')
    const { metadata } = await current()
    expect(plan).toMatchObject({
      metadata: {
        labels: { 'jangar.proompteng.ai/orchestration-run': 'run', [stepLabel]: 'plan' },
        ownerReferences: [{ kind: 'OrchestrationRun', name: 'run', uid: metadata.uid }],
      },
      spec: { agentRef: { name: 'coder' }, parameters: { goal: 'a house' } },
    })
    // Changes reach new runs only.
    const key = { namespace, name: 'graph' }
    const body = { spec: { steps: [{ name: 'mark', kind: 'Checkpoint' }], outputs: null } }
    await client().patch(orchestrations, key, { type: 'merge', body })
    await end(plan, 'Succeeded', { outputs: { parts: '["roof", "door"]' } })
    const parts = await started('implement', 2)
    expect(parts.map(({ spec }) => spec.implementation?.inline.text).toSorted()).toEqual([
      'Write door',
      'Write roof',
    ])
    for (const part of parts) {
      const what = part.spec.implementation?.inline.text?.slice('Write '.length)
      await end(part, 'Succeeded', { vcs: { headBranch: `build-${what}`, pushed: true } })
    }
    const [review] = await started('review')
    expect(review?.spec.parameters).toEqual({ branches: '["build-roof","build-door"]' })
    await end(review)
    const [report] = await started('report')
    expect(report?.spec.parameters).toEqual({ outcome: 'Succeeded' })
    await end(report, 'JobFailed')
    const status = await finished('Succeeded')
    expect(status?.outputs).toEqual({ branches: '["build-roof","build-door"]', how: 'Succeeded' })
    expect(status?.stepStatuses?.map(({ name, phase }) => [name, phase])).toEqual([
      ['plan', 'Succeeded'],
      ['implement', 'Succeeded'],
      ['review', 'Succeeded'],
      ['report', 'Failed'],
    ])
    expect(status?.stepStatuses?.[0]?.resourceRef).toMatchObject({ kind: 'AgentRun' })
    expect(status?.orchestration).toMatchObject({ generation: 1 })
  })

  test('a failed step is tried again, and then stops the others', async () => {
    const { run, started, end, finished } = await setUp({
      steps: [
        agentStep('a', { retries: 1 }),
        agentStep('b'),
        agentStep('c', { dependsOn: ['a', 'b'] }),
      ],
    })
    await run()
    const [first] = await started('a')
    await end(first, 'JobFailed')
    const second = (await started('a', 2)).find(
      ({ metadata }) => metadata.uid !== first?.metadata.uid,
    )
    await end(second, 'JobFailed')
    const [other] = await started('b')
    const isCancelled = async () =>
      (await client().get(agentRuns, other?.metadata ?? { name: '' })).spec.cancel === true
    await until(isCancelled)
    await end(other, 'Cancelled')
    const status = await finished('RetriesExhausted')
    expect(status?.stepStatuses).toMatchObject([
      { name: 'a', phase: 'Failed', attempt: 2, attempts: [{ attempt: 1 }] },
      { name: 'b', phase: 'Cancelled', reason: 'RunFailed' },
      { name: 'c', phase: 'Skipped', reason: 'RunFailed' },
    ])
    expect(status?.phase).toBe('Failed')
  })

  test('a cancelled run stops its children, nested ones too, and ends after them', async () => {
    const { create, ready, current, run, started, end, finished, namespace } = await setUp({
      steps: [agentStep('inner')],
    })
    await create(orchestrations, 'outer', {
      spec: {
        steps: [{ name: 'sub', kind: 'SubOrchestration', orchestrationRef: { name: 'graph' } }],
      },
    })
    await ready(orchestrations, 'outer')
    await run({ orchestrationRef: { name: 'outer' } })
    const [inner] = await started('inner')
    const key = { namespace, name: 'run' }
    await client().patch(orchestrationRuns, key, {
      type: 'merge',
      body: { spec: { cancel: true } },
    })
    await until(
      async () =>
        (await client().get(agentRuns, inner?.metadata ?? { name: '' })).spec.cancel === true,
    )
    expect((await current()).status?.finishedAt).toBeUndefined()
    await end(inner, 'Cancelled')
    const status = await finished('Cancelled')
    expect(status?.stepStatuses).toMatchObject([{ name: 'sub', phase: 'Cancelled' }])
    const { items } = await client().list(orchestrationRuns, { namespace })
    expect(items.map((one) => one.status?.phase)).toEqual(['Cancelled', 'Cancelled'])
  })

  test('an attempt that takes too long is stopped when its time is over', async () => {
    const { run, started, end, finished, skip, touch } = await setUp({
      steps: [agentStep('a', { timeoutSeconds: 3600 })],
    })
    await run()
    const [child] = await started('a')
    skip(3_601_000)
    await touch(orchestrationRuns, 'run')
    await until(
      async () =>
        (await client().get(agentRuns, child?.metadata ?? { name: '' })).spec.cancel === true,
    )
    await end(child, 'Cancelled')
    expect((await finished('StepTimedOut'))?.phase).toBe('Failed')
  })

  test('a changed output invalidates what used it, and nothing else', async () => {
    const { run, started, end, finished, children } = await setUp({
      steps: [
        agentStep('plan'),
        agentStep('build', {
          dependsOn: ['plan'],
          with: { what: '{{ steps.plan.outputs.what }}' },
        }),
        agentStep('aside'),
      ],
    })
    const finishStep = async (step: string, count: number, what: string) => {
      const open = (await started(step, count)).find(
        ({ status }) => status?.finishedAt === undefined,
      )
      await end(open, 'Succeeded', { outputs: { what } })
    }
    await run()
    for (const step of ['plan', 'aside', 'build']) await finishStep(step, 1, 'house')
    await finished('Succeeded')
    await run({ resumeFrom: { name: 'run', steps: ['plan'] } }, 'again')
    await finishStep('plan', 2, 'bridge')
    await finishStep('build', 2, 'bridge')
    const status = await finished('Succeeded', 'again')
    expect(status?.stepStatuses?.map(({ name, reason }) => [name, reason])).toEqual([
      ['plan', undefined],
      ['build', undefined],
      ['aside', 'Reused'],
    ])
    const built = (await started('build', 2)).map(({ spec }) => spec.parameters?.what)
    expect(built.toSorted()).toEqual(['bridge', 'house'])
    expect(await children()).toHaveLength(5)
  })

  test('outputs of a megabyte fail their step, and what was accepted stays in bounds', async () => {
    const { run, started, end, finished } = await setUp({
      steps: [agentStep('big'), agentStep('after', { dependsOn: ['big'] })],
    })
    await run()
    const [big] = await started('big')
    await end(big, 'Succeeded', { outputs: { text: 'x'.repeat(1_000_000) } })
    const status = await finished('OutputsTooLarge')
    expect(status?.stepStatuses).toMatchObject([
      { name: 'big', phase: 'Failed', reason: 'OutputsTooLarge' },
      { name: 'after', phase: 'Skipped' },
    ])
    expect(JSON.stringify(status).length).toBeLessThan(20_000)
  })

  test('a resumed run takes over what did not change', async () => {
    const steps = (prompt: string) => [
      agentStep('a'),
      agentStep('b', { dependsOn: ['a'], implementation: { inline: { text: prompt } } }),
      agentStep('c', { dependsOn: ['b'] }),
      agentStep('d'),
    ]
    const { run, children, end, finished, ready, namespace, current } = await setUp({
      steps: steps('One'),
    })
    const finishAll = async (name: string) => {
      await until(async () => {
        for (const child of await children()) {
          if (child.status?.finishedAt === undefined) await end(child)
        }
        return (await current(name)).status?.finishedAt !== undefined
      })
    }
    await run()
    await finishAll('run')
    await finished('Succeeded')
    expect(await children()).toHaveLength(4)
    const key = { namespace, name: 'graph' }
    await client().patch(orchestrations, key, {
      type: 'merge',
      body: { spec: { steps: steps('Two') } },
    })
    await until(async () => {
      const { metadata, status } = await client().get(orchestrations, key)
      return status?.observedGeneration === metadata.generation
    })
    await ready(orchestrations, 'graph')
    await run({ resumeFrom: { name: 'run' } }, 'again')
    await finishAll('again')
    const status = await finished('Succeeded', 'again')
    expect(status?.stepStatuses?.map(({ reason }) => reason)).toEqual([
      'Reused',
      undefined,
      undefined,
      'Reused',
    ])
    expect(await children()).toHaveLength(6)
  })

  test.each([
    { fields: { parameters: { other: 'x' } }, reason: 'InvalidParameters' },
    { fields: { resumeFrom: { name: 'gone' } }, reason: 'ResumeSourceMissing' },
    { fields: { orchestrationRef: { name: 'gone' } }, reason: 'DependencyMissing' },
  ])('a run that cannot be accepted says why: $reason', async ({ fields, reason }) => {
    const { run, waitForCondition, children } = await setUp({
      parameters: [{ name: 'goal' }],
      steps: [agentStep('a')],
    })
    await run(fields)
    await waitForCondition(orchestrationRuns, 'run', 'Accepted', reason)
    expect(await children()).toEqual([])
  })
}
