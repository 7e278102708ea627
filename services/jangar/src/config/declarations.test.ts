import { describeConfig, findUnknown, listSettings, parseConfig } from '@agents/config'
import { redactValue } from '@agents/log'
import { describe, expect, test } from 'vitest'
import { controlPlane, controlPlaneRules } from './control-plane.ts'
import { controllers, controllersRules } from './controllers.ts'

const processes = [
  { process: 'controllers', declaration: controllers },
  { process: 'control plane', declaration: controlPlane },
]

describe.each(processes)('the declaration of the $process', ({ declaration }) => {
  const settings = listSettings(declaration).map(({ setting }) => setting)

  test('names each variable once', () => {
    const names = settings.map(({ env }) => env)
    expect(names.length).toBeGreaterThan(50)
    expect(new Set(names).size).toBe(names.length)
  })

  test('has defaults that it would accept as input', () => {
    for (const { env, presence, parse, show } of settings) {
      if (presence.kind !== 'defaulted') continue
      const shown = show(presence.fallback)
      const raw = typeof shown === 'string' ? shown : JSON.stringify(shown)
      expect({ env, parsed: parse(raw) }).toEqual({
        env,
        parsed: { ok: true, value: presence.fallback },
      })
    }
  })
})

describe('the names that the chart sets', () => {
  // Read by one process or the other; the chart gives both the same.
  const fromChart = [
    ...expand('JANGAR_AGENTS_CONTROLLER_', [
      'NAMESPACES',
      'CONCURRENCY_NAMESPACE',
      'CONCURRENCY_AGENT',
      'CONCURRENCY_CLUSTER',
      'QUEUE_NAMESPACE',
      'QUEUE_REPO',
      'QUEUE_CLUSTER',
      'RATE_WINDOW_SECONDS',
      'RATE_NAMESPACE',
      'RATE_REPO',
      'RATE_CLUSTER',
      'AGENTRUN_RETENTION_SECONDS',
      'LABELS_REQUIRED',
      'LABELS_ALLOWED',
      'LABELS_DENIED',
      'IMAGES_ALLOWED',
      'IMAGES_DENIED',
      'BLOCKED_SECRETS',
      'VCS_PROVIDERS_ENABLED',
      'VCS_DEPRECATED_TOKEN_TYPES',
      'VCS_PR_RATE_LIMITS',
      'AUTH_SECRET_NAME',
      'AUTH_SECRET_KEY',
      'AUTH_SECRET_MOUNT_PATH',
    ]),
    ...expand('JANGAR_ORCHESTRATION_CONTROLLER_', ['ENABLED', 'NAMESPACES']),
    ...expand('JANGAR_SUPPORTING_CONTROLLER_', ['ENABLED', 'NAMESPACES']),
    ...expand('JANGAR_GRPC_', ['ENABLED', 'HOST', 'PORT']),
    ...expand('JANGAR_AGENT_', ['RUNNER_JOB_TTL_SECONDS', 'RUNNER_IMAGE', 'IMAGE']),
    ...expand('JANGAR_', [
      'SCHEDULE_RUNNER_IMAGE',
      'SCHEDULE_SERVICE_ACCOUNT',
      'PRIMITIVES_NAMESPACES',
      'MIGRATIONS',
      'CONTROL_PLANE_CACHE_ENABLED',
      'GITHUB_REPOS_ALLOWED',
    ]),
  ]

  test('are all declared', () => {
    const env = Object.fromEntries(fromChart.map((name) => [name, 'x']))
    expect(findUnknown({ controllers, controlPlane }, env, 'JANGAR_')).toEqual([])
  })

  function expand(prefix: string, names: readonly string[]): string[] {
    return names.map((name) => `${prefix}${name}`)
  }
})

describe('values as the chart writes them', () => {
  const database = { DATABASE_URL: 'postgres://db.test/agents' }

  test.each([
    {
      because: 'namespaces with commas',
      env: { JANGAR_AGENTS_CONTROLLER_NAMESPACES: 'agents,ci' },
      holds: { agents: { namespaces: ['agents', 'ci'] } },
    },
    {
      because: 'policies as JSON',
      env: { JANGAR_AGENTS_CONTROLLER_IMAGES_ALLOWED: '["registry.test/*"]' },
      holds: { agents: { admission: { imagesAllowed: ['registry.test/*'] } } },
    },
    {
      because: 'seconds as a bare number',
      env: { JANGAR_AGENTS_CONTROLLER_RATE_WINDOW_SECONDS: '30' },
      holds: { agents: { rate: { windowMs: 30_000 } } },
    },
    {
      because: 'a limit of 0 stays 0',
      env: { JANGAR_AGENTS_CONTROLLER_QUEUE_CLUSTER: '0' },
      holds: { agents: { queue: { cluster: 0 } } },
    },
    {
      because: 'retention of 0 stays 0',
      env: { JANGAR_AGENTS_CONTROLLER_AGENTRUN_RETENTION_SECONDS: '0' },
      holds: { agents: { runRetentionMs: 0 } },
    },
    {
      because: 'pull secrets as a pod has them',
      env: { JANGAR_AGENT_RUNNER_IMAGE_PULL_SECRETS: '[{"name":"a"},"b"]' },
      holds: { runner: { imagePullSecrets: ['a', 'b'] } },
    },
    {
      because: 'limits by repository',
      env: { JANGAR_AGENTS_CONTROLLER_REPO_CONCURRENCY_OVERRIDES: '{"o/r":3}' },
      holds: { agents: { repoConcurrency: { overrides: { 'o/r': 3 } } } },
    },
    {
      because: 'the default port',
      env: {},
      holds: { http: { port: 8080 }, metrics: { path: '/metrics' } },
    },
  ])('$because', ({ env, holds }) => {
    expect(parseConfig(controlPlane, { ...database, ...env }, controlPlaneRules)).toMatchObject(
      holds,
    )
    expect(parseConfig(controllers, env, controllersRules)).toMatchObject(holds)
  })

  test.each([
    {
      because: 'no namespace',
      env: { JANGAR_AGENTS_CONTROLLER_NAMESPACES: '[]' },
      names: 'JANGAR_AGENTS_CONTROLLER_NAMESPACES',
    },
    {
      because: 'every namespace and one more',
      env: { JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*,a' },
      names: 'JANGAR_AGENTS_CONTROLLER_NAMESPACES',
    },
    {
      because: 'every namespace with rights in some',
      env: { JANGAR_AGENTS_CONTROLLER_NAMESPACES: '*' },
      names: 'JANGAR_AGENTS_CONTROLLER_NAMESPACES',
    },
    {
      because: 'a namespace twice',
      env: { JANGAR_SUPPORTING_CONTROLLER_NAMESPACES: 'a,a' },
      names: 'JANGAR_SUPPORTING_CONTROLLER_NAMESPACES',
    },
    {
      because: 'no namespace name',
      env: { JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES: 'Agents' },
      names: 'JANGAR_ORCHESTRATION_CONTROLLER_NAMESPACES',
    },
    {
      because: 'a leader that outlives its Lease',
      env: { JANGAR_LEADER_ELECTION_RENEW_DEADLINE_SECONDS: '15' },
      names: 'JANGAR_LEADER_ELECTION_RENEW_DEADLINE_SECONDS',
    },
    {
      because: 'one try within the deadline',
      env: { JANGAR_LEADER_ELECTION_RETRY_PERIOD_SECONDS: '10' },
      names: 'JANGAR_LEADER_ELECTION_RETRY_PERIOD_SECONDS',
    },
    {
      because: 'a metrics path without a slash',
      env: { JANGAR_PROMETHEUS_METRICS_PATH: 'metrics' },
      names: 'JANGAR_PROMETHEUS_METRICS_PATH',
    },
    {
      because: 'another database',
      env: { DATABASE_URL: 'mysql://db.test/agents' },
      names: 'DATABASE_URL',
    },
  ])('refused: $because', ({ env, names }) => {
    expect(() => parseConfig(controllers, env, controllersRules)).toThrow(`${names} is`)
  })

  test.each([
    { because: 'the port of HTTP', env: { JANGAR_GRPC_PORT: '8080' }, names: 'JANGAR_GRPC_PORT' },
    {
      because: 'a token that no header can carry',
      env: { JANGAR_GRPC_TOKEN: 'zwölf' },
      names: 'JANGAR_GRPC_TOKEN',
    },
  ])('refused by the control plane: $because', ({ env, names }) => {
    expect(() => parseConfig(controlPlane, env, controlPlaneRules)).toThrow(`${names} is`)
    expect(() => parseConfig(controlPlane, env, controlPlaneRules)).not.toThrow('zwölf')
  })

  test.each([
    { because: 'it is not served', env: { JANGAR_GRPC_ENABLED: '0' } },
    { because: 'on another address', env: { JANGAR_HTTP_HOST: '127.0.0.2' } },
  ])('gRPC may have the port of HTTP: $because', ({ env }) => {
    const both = { ...env, JANGAR_GRPC_PORT: '8080' }
    expect(parseConfig(controlPlane, both, controlPlaneRules).grpc.port).toBe(8080)
  })

  test('no process needs a database to start', () => {
    expect(parseConfig(controlPlane, {}).database.url).toBeUndefined()
    expect(parseConfig(controllers, {}).database.url).toBeUndefined()
  })

  test('the logger leaves the start-up line readable', () => {
    const line = describeConfig(controlPlane, parseConfig(controlPlane, database))
    const logged = new Map(Object.entries(redactValue(line) ?? {}))
    const masked = Object.keys(line).filter((name) => logged.get(name) === '***')
    // Only the name of a key in a Secret, whose variable is named as a secret key would be.
    expect(masked).toEqual(['JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_KEY'])
    expect(logged.get('DATABASE_URL')).toBe('set')
  })
})
