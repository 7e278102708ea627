import { beforeAll, describe, expect, test } from 'vitest'
import { at } from '../../scripts/chart/compat/chart-snapshot.ts'
import { lint } from './lint.ts'
import { changed } from './mutate.ts'
import { find, type Render, render, valuesFile } from './render.ts'
import { containersOf, podOf, variablesOf } from './workload.ts'

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
  test('renders, and the same with Helm 3 and Helm 4', () => {
    const [three, four] = both(name)
    expect([three.code, four.code, three.errors, four.errors]).toEqual([0, 0, '', ''])
    expect(three.objects).toEqual(four.objects)
    expect(four.objects.length).toBeGreaterThan(5)
  })

  test('has nothing that an API server would refuse or that does something else than it seems to', () => {
    expect(lint(both(name)[1].objects)).toEqual([])
  })
})

describe('the lints', () => {
  const container = ['spec', 'template', 'spec', 'containers', 0]
  const template = ['spec', 'template']

  test.each<{ lint: string; kind: string; path: (string | number)[]; value: unknown }>([
    {
      lint: 'variables once',
      kind: 'Deployment',
      path: [...container, 'env', '+'],
      value: { name: 'PORT', value: '1' },
    },
    {
      lint: 'no scientific notation',
      kind: 'Deployment',
      path: [...container, 'env', '+'],
      value: { name: 'NEW', value: '2.592e+06' },
    },
    {
      lint: 'legal annotations and labels',
      kind: 'Deployment',
      path: [...template, 'metadata', 'annotations'],
      value: { 'checksum/secret/name': 'x' },
    },
    {
      lint: 'legal annotations and labels',
      kind: 'Deployment',
      path: [...template, 'metadata', 'labels', 'team'],
      value: 'has space',
    },
    {
      lint: 'text in names, annotations and labels',
      kind: 'Deployment',
      path: ['metadata', 'annotations'],
      value: { wave: 1 },
    },
    {
      lint: 'text in names, annotations and labels',
      kind: 'Service',
      path: ['metadata', 'namespace'],
      value: 123,
    },
    { lint: 'a namespace', kind: 'Deployment', path: ['metadata', 'namespace'], value: undefined },
    {
      lint: 'names of 63 characters',
      kind: 'Deployment',
      path: ['metadata', 'name'],
      value: 'x'.repeat(64),
    },
    { lint: 'each object once', kind: 'Service', path: ['metadata', 'name'], value: 'agents' },
    {
      lint: 'frozen selectors',
      kind: 'Service',
      path: ['spec', 'selector', 'version'],
      value: '1',
    },
    {
      lint: 'one Deployment for a selector',
      kind: 'Service',
      path: ['spec', 'selector'],
      value: { 'app.kubernetes.io/name': 'agents' },
    },
    {
      lint: 'no traffic to hooks',
      kind: 'Pod',
      path: ['metadata', 'labels', 'app.kubernetes.io/component'],
      value: 'control-plane',
    },
    {
      lint: 'restricted pods',
      kind: 'Deployment',
      path: [...template, 'spec', 'hostNetwork'],
      value: true,
    },
    ...[
      { path: ['securityContext', 'runAsUser'], value: 0 },
      { path: ['securityContext', 'privileged'], value: true },
      { path: ['securityContext', 'capabilities', 'add'], value: ['SYS_ADMIN'] },
      { path: ['securityContext', 'seccompProfile'], value: { type: 'Unconfined' } },
      { path: ['ports', '+'], value: { containerPort: 1, hostPort: 1 } },
      { path: ['startupProbe', 'httpGet', 'host'], value: '127.0.0.1' },
    ].map(({ path, value }) => ({
      lint: 'restricted pods',
      kind: 'Deployment',
      path: [...container, ...path],
      value,
    })),
    {
      lint: 'ports that exist',
      kind: 'Service',
      path: ['spec', 'ports', 0, 'targetPort'],
      value: 'nowhere',
    },
    {
      lint: 'ports that probes find',
      kind: 'Deployment',
      path: [...container, 'readinessProbe', 'httpGet', 'port'],
      value: 'nowhere',
    },
    {
      lint: 'accounts that exist',
      kind: 'Deployment',
      path: [...template, 'spec', 'serviceAccountName'],
      value: 'nobody',
    },
    { lint: 'roles that exist', kind: 'RoleBinding', path: ['roleRef', 'name'], value: 'none' },
    {
      lint: 'no wildcards in roles',
      kind: 'Role',
      path: ['rules', '+'],
      value: { apiGroups: ['*'], resources: ['x'], verbs: ['get'] },
    },
    {
      lint: 'no dangerous verbs',
      kind: 'Role',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['x'], verbs: ['escalate'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], verbs: ['list'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'watch'] },
    },
    {
      lint: 'Secrets listed by those alone who watch them',
      kind: 'ClusterRole',
      path: ['rules', '+'],
      value: { apiGroups: [''], resources: ['secrets'], resourceNames: ['a'], verbs: ['list'] },
    },
    { lint: 'pinned images', kind: 'Deployment', path: [...container, 'image'], value: 'agents' },
  ])('notice: $lint', ({ lint: name, kind, path, value }) => {
    const { objects } = both('values-ci.yaml')[1]
    expect(lint(changed(objects, kind, path, value)).map((found) => found.split(':')[0])).toContain(
      name,
    )
  })
})

describe('what profiles promise', () => {
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
    expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(2)
  })

  test('an autoscaled Deployment says nothing about replicas', () => {
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
      'agents-agents',
      'agents-agents-access',
      'agents-agents-controllers',
      'agents-agents-gittarget',
      'agents-agents-gittarget-rules',
    ])
    expect(variablesOf(find(objects, 'Deployment', 'agents-controllers'))).toMatchObject({
      JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*',
      JANGAR_RBAC_CLUSTER_SCOPED: 'true',
    })
  })

  test('controllers do not touch what people own, and the control plane runs no Jobs', () => {
    const { objects } = both('ci/controllers-values.yaml')[1]
    const grants = (name: string) => JSON.stringify(find(objects, 'Role', name).rules)
    expect(grants('agents')).not.toMatch(
      /cronjobs|persistentvolumeclaims|"jobs"\],"verbs":\[[^\]]*create/,
    )
    expect(grants('agents-controllers')).not.toMatch(
      /"agents",[^\]]*\],"verbs":\[[^\]]*(create|delete)/,
    )
  })
})

describe('names', () => {
  const long = 'a-release-whose-name-has-fifty-three-characters-00000'
  const all = { controllers: { enabled: true }, gitTargetController: { enabled: true } }
  let first: Render
  let second: Render

  beforeAll(async () => {
    ;[first, second] = await Promise.all([
      render(all, { release: long }),
      render(all, { release: `${long.slice(0, -1)}1` }),
    ])
  }, 60_000)

  test('of a long release stay legal', () => {
    expect(first.errors).toBe('')
    expect(lint(first.objects)).toEqual([])
  })

  const names = ({ objects }: Render) =>
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

  test('of two long releases never meet', () => {
    expect(names(first).filter((name) => names(second).includes(name))).toEqual([])
  })

  test('of two releases in one namespace never meet, and neither takes the pods of the other', async () => {
    const [one, two] = await Promise.all([
      render(all, { release: 'agents' }),
      render(all, { release: 'agents-2' }),
    ])
    expect(names(one).filter((name) => names(two).includes(name))).toEqual([])
    expect(lint([...one.objects, ...two.objects])).toEqual([])
  })

  test.each<{ because: string; release: string; namespace: string; values: object }>([
    {
      because: 'YAML has other plans for it',
      release: 'n',
      namespace: '123',
      values: { fullnameOverride: '0x10', serviceAccount: { name: '1e3' } },
    },
    {
      because: 'it would be nothing',
      release: '1',
      namespace: 'on',
      values: { namespaceOverride: 'null' },
    },
    {
      because: 'they are as long as they may be',
      release: 'r',
      namespace: 'n'.repeat(63),
      values: { fullnameOverride: 'f'.repeat(63), nameOverride: 'o'.repeat(63) },
    },
  ])('stay text and legal where $because', async ({ values, ...options }) => {
    const everything = { ...valuesFile('ci/everything-values.yaml'), ...values }
    const [three, four] = await Promise.all([
      render(everything, { ...options, helm: '3' }),
      render(everything, options),
    ])
    expect([three.errors, four.errors]).toEqual(['', ''])
    expect(three.objects).toEqual(four.objects)
    const monitor = four.objects.find(({ kind }) => kind === 'ServiceMonitor')
    const namespace = 'namespaceOverride' in values ? values.namespaceOverride : options.namespace
    expect(at(monitor, 'spec', 'namespaceSelector', 'matchNames')).toEqual([namespace])
    // Objects of the cluster may have longer names, after the namespace.
    expect(lint(four.objects).filter((problem) => !/Cluster/.test(problem))).toEqual([])
  })
})

test('a null takes away what an earlier file set, in labels and annotations too', async () => {
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
  'numbers stay numbers, however large and wherever they come from, with Helm %s',
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

test('a variable may be named as YAML names a boolean', async () => {
  const { objects } = await render({ env: { vars: { Y: 'a', ON: 'b', NULL: 'c' } } })
  expect(variablesOf(find(objects, 'Deployment', 'agents'))).toMatchObject({
    Y: 'a',
    ON: 'b',
    NULL: 'c',
  })
})

test('who replaces pods at once is not told how to replace them one by one', async () => {
  const { objects } = await render({ deploymentStrategy: { type: 'Recreate' } })
  expect(at(find(objects, 'Deployment', 'agents'), 'spec', 'strategy')).toEqual({
    type: 'Recreate',
  })
})
