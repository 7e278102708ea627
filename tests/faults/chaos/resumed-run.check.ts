import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
} from '@agents/jangar-api'
import { JobKind, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { expect, onTestFinished, test } from 'vitest'
import { namespace, startRunPlatform } from '../../support/run-platform/run-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { servers } from './servers.ts'

const orchestrations = kindRef<Orchestration>(orchestration)
const orchestrationRuns = kindRef<OrchestrationRun>(orchestrationRun)

function step(name: string, script: string, dependsOn: readonly string[] = []) {
  return {
    ...{ name, kind: 'AgentRun', agentRef: { name: 'shell' }, dependsOn, with: { script } },
    implementation: { inline: { text: 'Run a script.' } },
  }
}

function steps(script: string) {
  return [
    step('first', 'true'),
    step('middle', script, ['first']),
    step('last', 'true', ['middle']),
    step('aside', 'true', ['first']),
  ]
}

test.each(servers)(
  'a resumed run starts Jobs for the changed step and what follows it, and for nothing else: %s server',
  async (server) => {
    const platform = await startRunPlatform(server)
    onTestFinished(() => platform.stop())
    const { client } = platform
    await platform.startNode()
    await platform.startControllers()
    const graph = { namespace, name: 'graph' }
    await client.create(orchestrations, {
      metadata: graph,
      spec: { steps: steps('exit 0') },
    } as never)
    /** Names of all Jobs that ever were: finished runs keep theirs. */
    const jobs = async () =>
      new Set(
        (await client.list(JobKind, { namespace })).items.map(({ metadata }) => metadata.name),
      )
    const runTo = async (name: string, phase: string, fields: object = {}) => {
      await client.create(orchestrationRuns, {
        metadata: { namespace, name },
        spec: { orchestrationRef: { name: 'graph' }, ...fields },
      } as never)
      const current = () => client.get(orchestrationRuns, { namespace, name })
      await until(async () => isFinished((await current()).status?.conditions))
      const { status } = await current()
      expect(status?.phase).toBe(phase)
      return status?.stepStatuses?.map(({ name: of, reason }) => [of, reason])
    }
    await runTo('one', 'Succeeded')
    const before = await jobs()
    expect(before.size).toBe(4)
    const type = 'merge'
    await client.patch(orchestrations, graph, { type, body: { spec: { steps: steps('true') } } })
    await until(async () => {
      const { metadata, status } = await client.get(orchestrations, graph)
      return status?.observedGeneration === metadata.generation
    })
    expect(await runTo('two', 'Succeeded', { resumeFrom: { name: 'one' } })).toEqual([
      ['first', 'Reused'],
      ['middle', undefined],
      ['last', undefined],
      ['aside', 'Reused'],
    ])
    const added = [...(await jobs())].filter((name) => !before.has(name))
    expect(added.map((name) => name.split('-')[1]).toSorted()).toEqual(['last', 'middle'])
  },
)
