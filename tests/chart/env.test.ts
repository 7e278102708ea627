import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RenderedObject } from '@agents/chart-tools'
import { findUnknown, parseConfig } from '@agents/config'
import { operator, operatorRules } from '@agents/gittarget'
import { controllers, controllersRules, controlPlane, controlPlaneRules } from '@agents/jangar'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart, find, render, valuesFile } from '../support/chart/render.ts'
import { containersOf, envOf, variablesOf } from '../support/chart/workload.ts'
import { put } from './mutate.ts'

const timeout = 60_000

interface ContractRow {
  readonly value: string
  readonly env: string
  readonly form: string
  readonly when?: string
}

const contract: readonly ContractRow[] = parse(
  readFileSync(join(chart, 'files', 'env-contract.yaml'), 'utf8'),
)

async function deployments(values: unknown): Promise<Record<'plane' | 'workers', RenderedObject>> {
  const { objects, errors } = await render(values)
  expect(errors).toBe('')
  return {
    plane: find(objects, 'Deployment', 'agents'),
    workers: find(objects, 'Deployment', 'agents-controllers'),
  }
}

describe('each value of the contract', () => {
  /** For each form of value, the input of the chart and the expected variable. */
  const sentinels: Readonly<Record<string, readonly [value: unknown, text: string]>> = {
    flag: [true, 'true'],
    number: [7_000_001, '7000001'],
    text: ['/sentinel', '/sentinel'],
    namespaces: [['agents'], 'agents'],
    list: [['sentinel $(X)'], '["sentinel $$(X)"]'],
    map: [{ sentinel: ['$(X)'] }, '{"sentinel":["$$(X)"]}'],
    'map if not empty': [{ sentinel: 1 }, '{"sentinel":1}'],
  }
  // Values whose schema does not accept the general sentinel.
  const fitting: Readonly<Record<string, readonly [value: unknown, text: string]>> = {
    'archive.retention': ['90d', '90d'],
    'archive.retentionByNamespace': [{ 'team-a': '7d' }, '{"team-a":"7d"}'],
    'logging.level': ['error', 'error'],
    'logging.format': ['pretty', 'pretty'],
    'grpc.port': [50_099, '50099'],
    'runner.image.pullPolicy': ['Never', 'Never'],
    'runtime.agentImage': ['agent:1', 'agent:1'],
    'runtime.scheduleRunnerImage': ['schedule:1', 'schedule:1'],
    'runtime.agentPublisherImage': ['publisher:1', 'publisher:1'],
    'runtime.agentPublisherEnv': [{ HTTPS_PROXY: '$(X)' }, '{"HTTPS_PROXY":"$$(X)"}'],
    'supportingController.budgets.prices': [
      { 'model-*': { input: 1, output: 2 } },
      '{"model-*":{"input":1,"output":2}}',
    ],
    'tracing.otlpEndpoint': ['http://collector.test:4317', 'http://collector.test:4317'],
    'tracing.protocol': ['http/json', 'http/json'],
    'tracing.sampleRatio': [0.25, '0.25'],
    'configReload.mode': ['exit', 'exit'],
    'configReload.drainTimeoutSeconds': [7, '7'],
    'controller.vcsProviders.deprecatedTokenTypes': [{ github: ['a'] }, '{"github":["a"]}'],
    'controller.repoConcurrency.overrides': [{ 'a/b': 7 }, '{"a/b":7}'],
    'controllers.leaderElection.enabled': [true, 'true'],
    'controllers.leaderElection.leaseDurationSeconds': [7_000_003, '7000003'],
    'controllers.leaderElection.renewDeadlineSeconds': [7_000_002, '7000002'],
  }
  const sentinelOf = ({ value, form }: ContractRow) => fitting[value] ?? sentinels[form] ?? ['', '']
  let seen: Record<'plane' | 'workers', RenderedObject>

  beforeAll(async () => {
    // gRPC with TLS needs the certificate.
    const api = { enabled: true, tlsSecret: { name: 'api-certificate' } }
    const values = { controllers: { enabled: true }, api }
    for (const row of contract) {
      put(values, row.value.split('.'), sentinelOf(row)[0])
      if (row.when !== undefined) put(values, row.when.split('.'), true)
    }
    seen = await deployments(values)
  }, timeout)

  test.each(contract)('$value → $env', (row) => {
    const [, text] = sentinelOf(row)
    expect(variablesOf(seen.workers)[row.env]).toBe(row.env === 'JANGAR_GRPC_ENABLED' ? '0' : text)
    const off = /_CONTROLLER_ENABLED$/.test(row.env)
    expect(variablesOf(seen.plane)[row.env]).toBe(off ? '0' : text)
  })
})

describe('precedence', () => {
  let seen: Record<'plane' | 'workers', RenderedObject>

  beforeAll(async () => {
    seen = await deployments({
      controllers: {
        enabled: true,
        env: { vars: { FOO: 'workers', JANGAR_LOG_LEVEL: 'warn', JANGAR_MIGRATIONS: 'SKIP ' } },
      },
      controlPlane: { env: { vars: { FOO: 'plane', JANGAR_MIGRATIONS: 'off' } } },
      env: {
        vars: { FOO: 'all', BAR: 'all', JANGAR_LOG_LEVEL: 'error', JANGAR_GRPC_ENABLED: 'true' },
        extra: [{ name: 'EXTRA', value: 5 }],
        secrets: [{ name: 'TOKEN', secretName: 'tokens', key: 'one', optional: true }],
        config: [{ name: 'FLAGS', configMapName: 'flags' }],
      },
      logging: { level: 'debug' },
      runtime: { agentRunnerImage: 'example.com/derived:1' },
      runner: { image: { repository: 'example.com/fallback', tag: '1' } },
      runnerServiceAccount: { create: true },
    })
  }, timeout)

  test('component settings override common ones, which override derived ones', () => {
    expect(variablesOf(seen.plane)).toMatchObject({
      FOO: 'plane',
      BAR: 'all',
      JANGAR_LOG_LEVEL: 'error',
    })
    expect(variablesOf(seen.workers)).toMatchObject({
      FOO: 'workers',
      BAR: 'all',
      JANGAR_LOG_LEVEL: 'warn',
    })
  })

  test('controllers skip migrations; the control plane can be configured to', () => {
    expect(variablesOf(seen.workers).JANGAR_MIGRATIONS).toBe('skip')
    expect(variablesOf(seen.plane).JANGAR_MIGRATIONS).toBe('skip')
  })

  test('controllers serve no gRPC, whatever the common settings are', () => {
    expect(variablesOf(seen.plane).JANGAR_GRPC_ENABLED).toBe('true')
    expect(variablesOf(seen.workers)).toMatchObject({
      JANGAR_GRPC_ENABLED: '0',
      JANGAR_CONTROL_PLANE_CACHE_ENABLED: '0',
    })
  })

  test('references to other objects are in both Deployments', () => {
    for (const deployment of [seen.plane, seen.workers]) {
      expect(envOf(deployment)).toEqual(
        expect.arrayContaining([
          { name: 'EXTRA', value: '5' },
          {
            name: 'TOKEN',
            valueFrom: { secretKeyRef: { name: 'tokens', key: 'one', optional: true } },
          },
          { name: 'FLAGS', valueFrom: { configMapKeyRef: { name: 'flags', key: 'FLAGS' } } },
        ]),
      )
    }
  })

  test('a configured runner image overrides the fallback, and runs get the account created for them', () => {
    expect(variablesOf(seen.workers)).toMatchObject({
      JANGAR_AGENT_RUNNER_IMAGE: 'example.com/derived:1',
      JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT: 'agents-runner',
    })
  })

  test('the pull policy and the pull Secrets of the runner image reach the controllers', {
    timeout,
  }, async () => {
    const { plane } = await deployments({
      controllers: { enabled: true },
      runner: {
        image: {
          repository: 'registry.example.com/runner',
          tag: '1',
          pullPolicy: 'Always',
          pullSecrets: ['runner', { name: 'both' }],
        },
      },
      controller: { defaultWorkload: { imagePullSecrets: [{ name: 'both' }, 'workload'] } },
    })
    const { runner } = parseConfig(controlPlane, variablesOf(plane))
    expect(runner).toMatchObject({
      image: 'registry.example.com/runner:1',
      imagePullPolicy: 'Always',
      imagePullSecrets: ['both', 'workload', 'runner'],
    })
  })

  test('references resolve in order: secrets come before vars, vars before extra', () => {
    const names = envOf(seen.plane).map(({ name }) => name)
    const order = [
      'JANGAR_POD_NAMESPACE',
      'JANGAR_IMAGE',
      'TOKEN',
      'FLAGS',
      'BAR',
      'EXTRA',
      'JANGAR_MIGRATIONS',
    ]
    expect(order.map((name) => names.indexOf(name))).toEqual(
      order.map((name) => names.indexOf(name)).toSorted((a, b) => a - b),
    )
    expect(names).toEqual(expect.arrayContaining(order))
  })
})

describe('the processes accept the rendered environment', () => {
  const files = [
    'values-kind.yaml',
    'ci/controllers-values.yaml',
    'ci/everything-values.yaml',
    'ci/cluster-values.yaml',
  ]

  test.each(files)('%s', { timeout }, async (file) => {
    const { plane, workers } = await deployments(valuesFile(file))
    // Variables that the pod gets from other sources.
    const placed = { DATABASE_URL: 'postgres://db.test/agents', JANGAR_POD_NAMESPACE: 'agents' }
    const planeEnv = { ...variablesOf(plane), ...placed }
    const workersEnv = { ...variablesOf(workers), ...placed }

    const planeConfig = parseConfig(controlPlane, planeEnv, controlPlaneRules)
    expect(planeConfig).toMatchObject({
      migrations: { mode: 'auto' },
      agents: { enabled: false },
      orchestration: { enabled: false },
      supporting: { enabled: false },
      archive: { enabled: false },
      grpc: { enabled: true, host: '0.0.0.0' },
    })
    const workersConfig = parseConfig(controllers, workersEnv, controllersRules)
    expect(workersConfig).toMatchObject({
      migrations: { mode: 'skip' },
      agents: { enabled: true },
      leaderElection: { leaseName: 'agents-controllers' },
    })
    for (const env of [planeEnv, workersEnv]) {
      expect(findUnknown({ controllers, controlPlane }, env, 'JANGAR_')).toEqual([])
    }
  })
})

test('the operator accepts the rendered environment, and gets no settings of the other processes', {
  timeout,
}, async () => {
  const { objects } = await render({
    gitTargetController: {
      enabled: true,
      namespaces: ['team-a'],
      env: { vars: { GITTARGET_PORT: 9000 } },
    },
    logging: { level: 'debug' },
    env: { vars: { SHARED: 'x' }, extra: [{ name: 'EXTRA', value: 'x' }] },
    envFromSecretRefs: ['tokens'],
    database: { secretRef: { name: 'db' } },
  })
  const deployment = find(objects, 'Deployment', 'agents-gittarget')
  const env = { ...variablesOf(deployment), GITTARGET_POD_NAMESPACE: 'agents' }
  expect(parseConfig(operator, env, operatorRules)).toMatchObject({
    log: { level: 'debug', format: 'json' },
    http: { port: 9000 },
    namespaces: ['team-a'],
    leaderElection: { leaseName: 'agents-gittarget' },
  })
  expect(findUnknown({ operator }, env, 'GITTARGET_')).toEqual([])
  expect(JSON.stringify(deployment)).not.toMatch(/SHARED|EXTRA|tokens|DATABASE_URL|JANGAR_/)
  expect(containersOf(deployment)).toMatchObject([
    { ports: [{ name: 'http', containerPort: 9000 }] },
  ])
})

describe('traces', () => {
  const names = ['agents', 'agents-controllers', 'agents-gittarget']
  const all = { controllers: { enabled: true }, gitTargetController: { enabled: true } }
  const tracingOf = (objects: readonly RenderedObject[], name: string) =>
    Object.entries(variablesOf(find(objects, 'Deployment', name))).filter(([variable]) =>
      variable.startsWith('OTEL_'),
    )

  test('are not configured while they are disabled', { timeout }, async () => {
    const { objects } = await render({ ...all, tracing: { otlpEndpoint: 'http://collector:4317' } })
    for (const name of names) expect(tracingOf(objects, name)).toEqual([])
  })

  test('are sent from every process to the collector, and its key comes from a Secret', {
    timeout,
  }, async () => {
    const { objects } = await render({
      ...all,
      tracing: {
        enabled: true,
        otlpEndpoint: 'https://collector.test/otlp',
        headersSecret: { name: 'collector' },
      },
      networkPolicy: {
        policyTypes: ['Ingress', 'Egress'],
        apiServer: { cidrs: ['10.0.0.1/32'] },
        tracing: { to: [{ namespaceSelector: { matchLabels: { name: 'observability' } } }] },
      },
    })
    for (const name of names) {
      expect(Object.fromEntries(tracingOf(objects, name))).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test/otlp',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      })
      const [container] = containersOf(find(objects, 'Deployment', name)) as { env: object[] }[]
      expect(container?.env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
      })
      const { spec } = find(objects, 'NetworkPolicy', name) as { spec?: { egress?: object[] } }
      expect(spec?.egress).toContainEqual({
        ports: [{ port: 443 }],
        to: [{ namespaceSelector: { matchLabels: { name: 'observability' } } }],
      })
    }
  })

  test.each([
    ['http://collector:4317', 4317],
    ['http://collector.test/otlp', 80],
    ['http://[::1]:4318/x', 4318],
  ])('to %s take port %i', { timeout }, async (otlpEndpoint, port) => {
    const { objects } = await render({
      tracing: { enabled: true, otlpEndpoint },
      networkPolicy: { policyTypes: ['Egress'], apiServer: { cidrs: ['10.0.0.1/32'] } },
    })
    const { spec } = find(objects, 'NetworkPolicy', 'agents') as { spec?: { egress?: object[] } }
    expect(spec?.egress).toContainEqual({ ports: [{ port }] })
  })
})

describe('what keeps the memory of the controllers small', () => {
  const vars = { MALLOC_ARENA_MAX: '2' }

  test('is set for them only, and the variables can be changed', { timeout }, async () => {
    const values = { controllers: { enabled: true } }
    const { plane, workers } = await deployments(values)
    const flag = '--max-semi-space-size=2'
    expect(containersOf(workers)[0]).toHaveProperty('command[1]', flag)
    expect(variablesOf(workers)).toMatchObject({
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '32768',
    })
    expect(JSON.stringify(plane)).not.toMatch(/semi-space|MALLOC/)
    const changed = await deployments({ controllers: { enabled: true, env: { vars } } })
    expect(variablesOf(changed.workers)).toMatchObject({ ...vars, MALLOC_MMAP_THRESHOLD_: '32768' })
  })
})
