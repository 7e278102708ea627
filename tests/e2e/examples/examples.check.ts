import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type AgentRun,
  agent,
  agentRun,
  kinds,
  type OrchestrationRun,
  orchestrationRun,
  unreconciledKinds,
} from '@agents/jangar-api'
import { type Condition, type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNamespace } from '../../support/testbed/server.ts'
import { serversOfTier } from '../../support/testbed/servers-of-tier.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'
import { type Platform, platforms } from './platform.ts'

const folder = join(import.meta.dirname, '../../../charts/agents/examples')
const groupFiles =
  /^(agent|agentprovider|agentrun|implementationspec|implementationsource|versioncontrolprovider|memory|tool|toolrun|signal|signaldelivery|orchestration(?:run)?-scripted)[-.]/
const files = (await readdir(folder)).filter((name) => groupFiles.test(name)).toSorted()
const groupKinds = kinds.filter((kind) => !unreconciledKinds.includes(kind))

const servers = await serversOfTier()

const orders: Record<string, (names: readonly string[]) => string[]> = {
  'in the order of the alphabet': (names) => [...names],
  'backwards, runs before what they need': (names) => names.toReversed(),
  'in an order of no kind': (names) => names.toSorted((a, b) => scramble(a) - scramble(b)),
}

/** The gate takes the one in which runs wait for what they need. */
const ordersOfTier = Object.keys(orders).filter((order) => isFull || order.startsWith('backwards'))

describe.each(servers)('on the %s server', (name) => {
  let platform: Platform
  const kubectl = (namespace: string, ...args: string[]): Promise<ToolResult> => {
    const { kubeconfig } = platform
    return runTool(['kubectl', '1.36'], ['-n', namespace, ...args], {
      kubeconfig,
      timeoutMs: 400_000,
    })
  }

  beforeAll(async () => {
    platform = await platforms[name]()
  })

  afterAll(() => platform?.stop())

  test.each(ordersOfTier)('examples applied %s settle', async (order) => {
    const namespace = `examples-${Object.keys(orders).indexOf(order)}`
    await createNamespace(platform.client, namespace)
    const sorted = orders[order]?.(files) ?? []
    const applied = await kubectl(
      namespace,
      'apply',
      ...sorted.flatMap((file) => ['-f', join(folder, file)]),
    )
    expect(applied).toMatchObject({ code: 0, stderr: '' })

    for (const run of [
      'agents-workflow-smoke',
      'agents-smoke',
      'native-workflow',
      'mapped-linear',
      'first-run',
    ]) {
      const waited = await kubectl(
        namespace,
        'wait',
        '--for=condition=Succeeded',
        `agentrun/${run}`,
        '--timeout=300s',
      )
      expect(waited, run).toMatchObject({ code: 0 })
    }
    const waited = await kubectl(
      namespace,
      'wait',
      '--for=condition=Succeeded',
      'toolrun/sample',
      '--timeout=300s',
    )
    expect(waited).toMatchObject({ code: 0 })
    const delivered = ['--for=condition=Succeeded', 'signaldelivery/sample', '--timeout=200s']
    expect(await kubectl(namespace, 'wait', ...delivered)).toMatchObject({ code: 0 })
    const ran = await kubectl(
      namespace,
      'wait',
      '--for=condition=Succeeded',
      'orchestrationrun/scripted',
      '--timeout=300s',
    )
    expect(ran).toMatchObject({ code: 0 })
    const key = { namespace, name: 'scripted' }
    const graph = await platform.client.get(kindRef<OrchestrationRun>(orchestrationRun), key)
    expect(graph.status?.outputs).toEqual({ built: 'a calculator' })
    await until(async () => (await unsettled(namespace)).length === 0)
    // Objects that still wait may be reconciled when a dependency changes; an object that is written again and again
    // never settles.
    await until(async () => {
      const before = await versions(namespace)
      await delay(3000)
      return isDeepStrictEqual(await versions(namespace), before)
    })
  })

  test('a run that fails is finished for kubectl wait', async () => {
    const namespace = 'failing'
    await createNamespace(platform.client, namespace)
    await kubectl(namespace, 'apply', '-f', join(folder, 'agentprovider-shell.yaml'))
    const { client } = platform
    await client.create(kindRef(agent), {
      metadata: { name: 'shell', namespace },
      spec: { providerRef: { name: 'shell' } },
    } as never)
    await client.create(kindRef(agentRun), {
      metadata: { name: 'fails', namespace },
      spec: {
        agentRef: { name: 'shell' },
        implementation: { inline: { text: 'Fail.' } },
        parameters: { command: 'exit 3' },
        runtime: { type: 'job' },
      },
    } as never)
    const waited = await kubectl(
      namespace,
      'wait',
      '--for=condition=Finished',
      'agentrun/fails',
      '--timeout=300s',
    )
    expect(waited).toMatchObject({ code: 0 })
    const run = await client.get(kindRef<AgentRun>(agentRun), { namespace, name: 'fails' })
    expect(run.status).toMatchObject({ phase: 'Failed', exitCode: 3 })
  })

  async function all(namespace: string): Promise<(KubeObject & { status?: Observed })[]> {
    const lists = await Promise.all(
      groupKinds.map((kind) => platform.client.list(kindRef(kind), { namespace })),
    )
    return lists.flatMap(({ items }) => items as (KubeObject & { status?: Observed })[])
  }

  /**
   * Objects whose current generation has not been reconciled, or that wait for something which the examples do not
   * leave to the reader.
   */
  async function unsettled(namespace: string): Promise<string[]> {
    return (await all(namespace))
      .filter(({ metadata, status }) => {
        if (status?.observedGeneration !== metadata.generation) return true
        const reconciling = status?.conditions?.find(({ type }) => type === 'Reconciling')
        return reconciling !== undefined && !waitsForReader.has(reconciling.reason)
      })
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }

  async function versions(namespace: string): Promise<string[]> {
    return (await all(namespace)).map(
      ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`,
    )
  }
})

interface Observed {
  readonly observedGeneration?: number
  readonly conditions?: readonly Condition[]
}

/** Reasons of examples whose dependencies or credentials the reader has to provide. */
const waitsForReader = new Set([
  'DependencyMissing',
  'DependencyNotReady',
  'SecretNotFound',
  'SecretKeyMissing',
  'Unreachable',
  'TokenUnavailable',
])

/** A deterministic order that is not alphabetical. */
function scramble(text: string): number {
  let hash = 7
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1009
  return hash
}
