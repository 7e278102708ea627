import type { AgentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { resolveWork } from '../resolve/resolve-work.ts'
import { agent, keys, portsWith, runOf, workflow } from '../resolve/testing/resolution-fixture.ts'
import { built, containerOf, documentsOf, envOf, vcp } from './testing/built.ts'

const defaults = {
  secrets: [
    { name: 'whole' },
    { name: 'vendor', keys: [{ key: 'token', variable: 'OPENAI_API_KEY' }] },
  ],
  model: 'small',
  parameters: { stage: 'plan', depth: '2' },
  image: 'registry.example.com/codex:1',
  resources: { limits: { memory: '1Gi' } },
  runtime: { nodeSelector: { pool: 'agents' }, imagePullSecrets: [{ name: 'pull' }] },
}
const there = [
  agent({ defaults }),
  keys('Secret', 'whole', 'A'),
  keys('Secret', 'vendor', 'token', 'admin-password'),
  keys('Secret', 'pull', '.dockerconfigjson'),
  keys('Secret', 'own', 'OPENAI_API_KEY'),
]

function problemOf(run: AgentRun, objects = there, env: Record<string, string> = {}) {
  const resolution = resolveWork(run, undefined, portsWith([...objects, run], env))
  return 'message' in resolution
    ? `${resolution.kind} ${resolution.reason}: ${resolution.message}`
    : 'resolved'
}

describe('defaults of an agent', () => {
  test('apply to what the run omits', () => {
    const objects = built(runOf(), there)
    const { nodeSelector, imagePullSecrets } = objects.job.spec.template.spec
    expect({ nodeSelector, imagePullSecrets }).toEqual({
      nodeSelector: { pool: 'agents' },
      imagePullSecrets: [{ name: 'pull' }],
    })
    expect(containerOf(objects)).toMatchObject({
      image: 'registry.example.com/codex:1',
      resources: { limits: { memory: '1Gi' } },
      envFrom: [{ secretRef: { name: 'whole' } }],
    })
    expect(envOf(objects)).toMatchObject({
      AGENT_MODEL: 'small',
      OPENAI_API_KEY: { secretKeyRef: { name: 'vendor', key: 'token' } },
    })
    expect(JSON.stringify(containerOf(objects))).not.toContain('admin-password')
    expect(documentsOf(objects).run).toMatchObject({
      parameters: { model: 'small', stage: 'plan', depth: '2' },
    })
  })

  test('give way to what the run sets itself', () => {
    const run = runOf({
      secrets: ['own'],
      parameters: { model: 'large', stage: 'test' },
      workload: { image: 'registry.example.com/other:1' },
      runtime: { type: 'job', config: { nodeSelector: { pool: 'own' }, imagePullSecrets: [] } },
    })
    const objects = built(run, there)
    const { nodeSelector, imagePullSecrets } = objects.job.spec.template.spec
    expect(nodeSelector).toEqual({ pool: 'own' })
    expect(imagePullSecrets ?? []).toEqual([])
    expect(containerOf(objects)).toMatchObject({
      image: 'registry.example.com/other:1',
      resources: { limits: { memory: '1Gi' } },
      // Of two Secrets with one key, the later one decides the variable.
      envFrom: [{ secretRef: { name: 'whole' } }, { secretRef: { name: 'own' } }],
    })
    expect(envOf(objects)).toMatchObject({ AGENT_MODEL: 'large' })
    expect(envOf(objects)).not.toHaveProperty('OPENAI_API_KEY')
    expect(documentsOf(objects).run).toMatchObject({
      parameters: { model: 'large', stage: 'test', depth: '2' },
    })
  })

  test('apply to the steps of a workflow', () => {
    const run = runOf(workflow({ name: 'a', workload: { resources: {} } }))
    const ports = portsWith([...there, run])
    expect(resolveWork(run, undefined, ports)).toMatchObject({
      kind: 'resolved',
      work: { image: 'registry.example.com/codex:1', workload: { resources: {} } },
    })
  })

  test.each([
    { because: 'neither specifies one', parameters: {}, repository: 'team/own' },
    { because: 'the run specifies one', parameters: { repo: 'a/b' }, repository: 'a/b' },
    { because: 'the work has one', parameters: {}, source: 'c/d#7', repository: 'c/d' },
  ])('name the repository: $because', ({ parameters, source, repository }) => {
    const inline = {
      text: 'Do it.',
      ...(source && { source: { provider: 'github', externalId: source } }),
    }
    const objects = built(runOf({ parameters, implementation: { inline } }), [
      agent({ vcsRef: { name: 'hub' }, defaults: { repository: 'team/own' } }),
      vcp({ auth: undefined }),
    ])
    const { run } = documentsOf(objects)
    expect(run).toMatchObject({ parameters: { repository }, vcs: { repository } })
  })
})

describe('a run with defaults of its agent', () => {
  const restricted = (allowedSecrets: readonly string[]) => [
    ...there,
    agent({ defaults, security: { allowedSecrets } }),
  ]

  test.each([
    {
      because: 'a whole Secret is not allowed by the agent itself',
      objects: restricted(['vendor', 'pull']),
      problem: /^refused SecretNotAllowed: Secret whole, listed in defaults.secrets of the agent/,
    },
    {
      because: 'a key of a Secret is not allowed by the agent itself',
      objects: restricted(['whole', 'pull']),
      problem: /^refused SecretNotAllowed: Secret vendor, .* remove it from the defaults/,
    },
    {
      because: 'the credential of a VersionControlProvider is not for agents',
      objects: [...there, vcp({ auth: { token: { secretRef: { name: 'vendor' } } } })],
      problem: /^refused SecretBlocked: Secret vendor, .* VersionControlProvider/,
    },
    {
      because: 'the platform blocks the Secret',
      objects: there,
      env: { JANGAR_AGENTS_CONTROLLER_BLOCKED_SECRETS: 'vendor' },
      problem: /^refused SecretBlocked: Secret vendor/,
    },
    {
      because: 'the service account belongs to the platform',
      objects: [
        ...there,
        agent({ defaults: { runtime: { serviceAccount: 'agents-controllers' } } }),
      ],
      problem: /^refused ServiceAccount\w+: /,
    },
    {
      because: 'a toleration is invalid, which the author of the agent has to correct',
      objects: [...there, agent({ defaults: { runtime: { tolerations: [{}] } } })],
      problem: /^refused InvalidRuntimeConfig: .* \(set by spec.defaults of Agent coder\)$/,
    },
    {
      because: 'a key is missing',
      objects: [...there, keys('Secret', 'vendor', 'other')],
      problem:
        /^waiting DependencyMissing: Secret vendor has no key token.* \(referred to by its agent\)$/,
    },
  ])('is not started if $because', ({ objects, env, problem }) => {
    expect(problemOf(runOf(), objects, env)).toMatch(problem)
  })

  test('waits for an agent that may specify the image', () => {
    const run = runOf({ agentRef: { name: 'later' } })
    const noImage = { JANGAR_AGENT_RUNNER_IMAGE: '' }
    expect(problemOf(run, there, noImage)).toMatch(/^waiting DependencyMissing: Agent later/)
    expect(problemOf(runOf(), there, noImage)).toBe('resolved')
    expect(problemOf(runOf(), [agent({})], noImage)).toMatch(/^refused MissingWorkloadImage: /)
  })
})
