import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Agent, type AgentRun, agent, agentRun } from '@agents/jangar-api'
import { kindRef, NamespaceKind, type Pod, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { realClusterAvailable } from '../../support/testbed/real-cluster.ts'
import { until } from '../../support/testbed/until.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { type Platform, platforms } from '../examples/platform.ts'

const { available } = await realClusterAvailable()
const folder = join(import.meta.dirname, '../../../charts/agents/examples')
const groupFiles =
  /^(agent|agentprovider|agentrun|implementationspec|implementationsource|versioncontrolprovider|memory)-/
const files = (await readdir(folder)).filter((name) => groupFiles.test(name))
const runKind = kindRef<AgentRun>(agentRun)

/** Values of a run's security context that are not clearly restricted. */
const variants: readonly (readonly [string, unknown])[] = [
  ['runAsUser', 0],
  ['runAsUser', '0'],
  ['runAsUser', null],
  ['runAsNonRoot', false],
  ['runAsNonRoot', null],
  ['runAsNonRoot', 'false'],
  ['runAsGroup', 0],
  ['runAsGroup', null],
  ['fsGroup', 0],
  ['fsGroup', null],
  ['supplementalGroups', [0]],
  ['supplementalGroups', []],
  ['supplementalGroups', null],
  ['seccompProfile', null],
  ['seccompProfile', {}],
  ['seccompProfile', { type: 'Unconfined' }],
  ['seccompProfile', { type: null }],
  ['sysctls', [{ name: 'kernel.msgmax', value: '1' }]],
  ['sysctls', []],
  ['appArmorProfile', { type: 'Unconfined' }],
  ['seLinuxOptions', { type: 'spc_t' }],
  ['windowsOptions', { hostProcess: true }],
]

describe.skipIf(!available)('on a real server that enforces the restricted standard', () => {
  let platform: Platform

  beforeAll(async () => {
    platform = await platforms.real()
    for (const name of ['restricted', 'open']) {
      await platform.client.create(NamespaceKind, {
        metadata: {
          name,
          ...(name === 'restricted' && {
            labels: {
              'pod-security.kubernetes.io/enforce': 'restricted',
              'pod-security.kubernetes.io/enforce-version': 'latest',
            },
          }),
        },
      })
    }
    const shell = { metadata: { name: 'shell', namespace: 'open' } }
    await kubectl('open', 'apply', '-f', join(folder, 'agentprovider-shell.yaml'))
    const spec = { providerRef: { name: 'shell' } }
    await platform.client.create(kindRef<Agent>(agent), { ...shell, spec } as never)
  })

  afterAll(() => platform?.stop())

  const kubectl = (namespace: string, ...args: string[]) =>
    runTool(['kubectl', '1.36'], ['-n', namespace, ...args], {
      kubeconfig: platform.kubeconfig,
      timeoutMs: 200_000,
    })

  test('the namespace refuses a pod that is not restricted', async () => {
    const pod = {
      metadata: { name: 'plain', namespace: 'restricted' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    }
    await expect(platform.client.create(PodKind, pod as never)).rejects.toThrow(/violates PodSec/)
  })

  test('the examples run', async () => {
    const applied = await kubectl(
      'restricted',
      'apply',
      ...files.flatMap((file) => ['-f', join(folder, file)]),
    )
    expect(applied).toMatchObject({ code: 0 })
    const runs = [
      'agents-workflow-smoke',
      'agents-smoke',
      'native-workflow',
      'mapped-linear',
      'first-run',
    ]
    for (const run of runs) {
      const condition = '--for=condition=Succeeded'
      const waited = await kubectl(
        'restricted',
        'wait',
        condition,
        `agentrun/${run}`,
        '--timeout=180s',
      )
      expect(waited, run).toMatchObject({ code: 0 })
    }
    const { items } = await platform.client.list(PodKind, { namespace: 'restricted' })
    expect(items.length).toBeGreaterThan(0)
  })

  // In a namespace without the label, so that only our controller enforces the standard.
  test.each(variants)(
    'podSecurityContext.%s: %j is refused, or its pod is restricted',
    async (field, value) => {
      const name = `variant-${variants.findIndex((one) => one[0] === field && one[1] === value)}`
      await platform.client.create(runKind, {
        metadata: { name, namespace: 'open' },
        spec: {
          agentRef: { name: 'shell' },
          implementation: { inline: { text: 'Run.' } },
          parameters: { command: 'exit 0' },
          runtime: { type: 'job', config: { podSecurityContext: { [field]: value } } },
        },
      } as never)
      let run: AgentRun | undefined
      await until(async () => {
        run = await platform.client.get(runKind, { namespace: 'open', name })
        return run.status?.conditions?.some(
          ({ type, status }) => type === 'Finished' && status === 'True',
        )
      })
      const accepted = run?.status?.conditions?.find(({ type }) => type === 'Accepted')
      if (accepted?.status === 'False') {
        expect(accepted.reason).toBe('InvalidRuntimeConfig')
        return
      }
      const labelSelector = `agents.proompteng.ai/agent-run=${name}`
      const { items } = await platform.client.list(PodKind, { namespace: 'open', labelSelector })
      expect(items).toHaveLength(1)
      await platform.client.create(PodKind, copyOf(items[0] as Pod) as never, { dryRun: true })
    },
  )
})

/** The same pod in the namespace that enforces the standard. */
function copyOf({ spec }: Pod): Pick<Pod, 'spec'> & { metadata: object } {
  const { nodeName: _, ...rest } = spec
  return { metadata: { name: 'copy', namespace: 'restricted' }, spec: rest }
}
