import { at } from '@agents/chart-tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { find, type Render, render, valuesFile } from '../support/chart/render.ts'
import { containersOf, podOf, variablesOf } from '../support/chart/workload.ts'
import { lint } from './lint.ts'

const digest = `sha256:${'a'.repeat(64)}`

const profiles: Readonly<Record<string, Record<string, unknown>>> = {
  default: {},
  'values-dev.yaml': valuesFile('values-dev.yaml'),
  'values-kind.yaml': valuesFile('values-kind.yaml'),
  'values-ci.yaml': valuesFile('values-ci.yaml'),
  'values-prod.yaml': { ...valuesFile('values-prod.yaml'), image: { digest } },
  'ci/controllers-values.yaml': valuesFile('ci/controllers-values.yaml'),
  'ci/ha-values.yaml': valuesFile('ci/ha-values.yaml'),
  'ci/multi-namespace-values.yaml': valuesFile('ci/multi-namespace-values.yaml'),
  'ci/cluster-values.yaml': valuesFile('ci/cluster-values.yaml'),
  'ci/everything-values.yaml': valuesFile('ci/everything-values.yaml'),
}

const rendered = new Map<string, readonly [helm3: Render, helm4: Render]>()

beforeAll(async () => {
  for (const [name, values] of Object.entries(profiles)) {
    rendered.set(name, await Promise.all([render(values, { helm: '3' }), render(values)]))
  }
}, 120_000)

function both(name: string): readonly [Render, Render] {
  const pair = rendered.get(name)
  if (pair === undefined) throw new Error(`${name} was not rendered`)
  return pair
}

describe.each(Object.keys(profiles))('%s', (name) => {
  test('renders identically with Helm 3 and Helm 4', () => {
    const [three, four] = both(name)
    expect([three.code, four.code, three.errors, four.errors]).toEqual([0, 0, '', ''])
    expect(three.objects).toEqual(four.objects)
    expect(four.objects.length).toBeGreaterThan(5)
  })

  test('has nothing that an API server would reject or that behaves unexpectedly', () => {
    expect(lint(both(name)[1].objects)).toEqual([])
  })
})

describe('the guarantees of profiles', () => {
  test('production pins every image, spreads its pods and survives a drain', () => {
    const { objects } = both('values-prod.yaml')[1]
    const deployments = objects.filter(({ kind }) => kind === 'Deployment')
    expect(deployments.map((object) => at(object, 'spec', 'replicas'))).toEqual([2, 2])
    for (const deployment of deployments) {
      expect(at(containersOf(deployment)[0], 'image')).toContain(`@${digest}`)
      expect(at(podOf(deployment), 'spec', 'topologySpreadConstraints')).toMatchObject([
        { labelSelector: { matchLabels: at(deployment, 'spec', 'selector', 'matchLabels') } },
      ])
    }
    expect(objects.filter(({ kind }) => kind === 'PodDisruptionBudget')).toHaveLength(2)
    expect(
      objects.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata }) => metadata.name),
    ).toEqual(['agents', 'agents-controllers', 'agents-runs'])
  })

  test('an autoscaled Deployment does not set replicas', () => {
    const { objects } = both('ci/ha-values.yaml')[1]
    for (const object of objects.filter(({ kind }) => kind === 'Deployment')) {
      expect(Object.keys(object.spec as object)).not.toContain('replicas')
    }
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toHaveLength(2)
  })

  test('several namespaces get a Role and a binding each, bound to the account of the release', () => {
    const { objects } = both('ci/multi-namespace-values.yaml')[1]
    const roles = objects.filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.name === 'agents-controllers',
    )
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['team-a', 'team-b'])
    const bindings = objects.filter(({ kind }) => kind === 'RoleBinding')
    for (const binding of bindings) expect(at(binding, 'subjects', '0', 'namespace')).toBe('agents')
  })

  test('a whole cluster gets ClusterRoles, named after the release and its namespace', () => {
    const { objects } = both('ci/cluster-values.yaml')[1]
    const names = objects
      .filter(({ kind }) => kind === 'ClusterRole')
      .map(({ metadata }) => metadata.name)
    expect(names.sort()).toEqual([
      'agents-agents-controllers',
      'agents-agents-gittarget',
      'agents-agents-gittarget-rules',
    ])
    expect(variablesOf(find(objects, 'Deployment', 'agents-controllers'))).toMatchObject({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
    })
  })

  test('controllers do not modify objects of users, and the control plane next to them only reads a Lease', () => {
    const { objects } = both('ci/controllers-values.yaml')[1]
    const grants = (name: string) => JSON.stringify(find(objects, 'Role', name).rules)
    const ofControlPlane = objects.filter(
      (object) =>
        object.kind.endsWith('RoleBinding') && at(object, 'subjects', '0', 'name') === 'agents-sa',
    )
    expect(ofControlPlane.map(({ metadata }) => metadata.name)).toEqual(['agents-leader'])
    expect(find(objects, 'Role', 'agents-leader').rules).toEqual([
      expect.objectContaining({ resources: ['leases'], verbs: ['get'] }),
    ])
    expect(grants('agents-controllers')).not.toMatch(
      /"agents",[^\]]*\],"verbs":\[[^\]]*(create|delete)/,
    )
  })
})

test('null removes what an earlier file set, also in labels and annotations', async () => {
  const { objects, errors } = await render({
    commonLabels: { team: null, tier: 1_000_000 },
    podLabels: { team: null },
    podAnnotations: { note: null, 'Example.com/Kept': 'x' },
  })
  expect(errors).toBe('')
  const deployment = find(objects, 'Deployment', 'agents')
  expect(deployment.metadata.labels).toMatchObject({ tier: '1000000' })
  expect(JSON.stringify(deployment)).not.toMatch(/"team"|"note"/)
  expect(at(podOf(deployment), 'metadata', 'annotations')).toEqual({ 'Example.com/Kept': 'x' })
})

test.each(['3', '4'] as const)(
  'numbers stay numbers, regardless of size and source, with Helm %s',
  async (helm) => {
    const values = {
      controller: { agentRunRetentionSeconds: 2592000, queue: { cluster: 0 } },
      env: {
        vars: {
          BIG: 12345678,
          LARGER: 1e20,
          LARGEST: 1e21,
          TINY: 1e-7,
          PART: 123456789.5,
          SMALL: -7000000,
        },
      },
      podAnnotations: { big: 12345678 },
    }
    const { objects } = await render(values, {
      helm,
      args: [
        '--set-json',
        'controller.logRetentionSeconds=6048000',
        '--set',
        'controller.rate.cluster=1000000',
      ],
    })
    const deployment = find(objects, 'Deployment', 'agents')
    expect(variablesOf(deployment)).toMatchObject({
      JANGAR_AGENTS_CONTROLLER_AGENTRUN_RETENTION_SECONDS: '2592000',
      JANGAR_AGENTS_CONTROLLER_QUEUE_CLUSTER: '0',
      JANGAR_AGENT_RUNNER_LOG_RETENTION_SECONDS: '6048000',
      JANGAR_AGENTS_CONTROLLER_RATE_CLUSTER: '1000000',
      BIG: '12345678',
      LARGER: '100000000000000000000',
      LARGEST: '1000000000000000000000',
      TINY: '0.0000001',
      PART: '123456789.5',
      SMALL: '-7000000',
    })
    expect(at(podOf(deployment), 'metadata', 'annotations')).toEqual({ big: '12345678' })
  },
)

test('a variable may have the name of a YAML boolean', async () => {
  const { objects } = await render({ env: { vars: { Y: 'a', ON: 'b', NULL: 'c' } } })
  expect(variablesOf(find(objects, 'Deployment', 'agents'))).toMatchObject({
    Y: 'a',
    ON: 'b',
    NULL: 'c',
  })
})

test('the Recreate strategy has no rolling update settings', async () => {
  const { objects } = await render({ deploymentStrategy: { type: 'Recreate' } })
  expect(at(find(objects, 'Deployment', 'agents'), 'spec', 'strategy')).toEqual({
    type: 'Recreate',
  })
})
