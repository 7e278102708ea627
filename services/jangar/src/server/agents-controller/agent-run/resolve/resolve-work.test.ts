import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import type { ResolvedWork } from './resolution.ts'
import { resolveWork } from './resolve-work.ts'
import {
  agent,
  coder,
  codex,
  contract,
  keys,
  objectOf,
  portsWith,
  runOf,
  unready,
  workflow,
} from './testing/resolution-fixture.ts'

interface Row {
  readonly because: string
  readonly run?: AgentRun
  readonly there?: readonly KubeObject[]
  readonly env?: Record<string, string>
  readonly says: RegExp
}

describe('a run waits', () => {
  const rows: readonly (Row & { readonly reason: string })[] = [
    {
      because: 'if its agent does not exist',
      reason: 'DependencyMissing',
      run: runOf({ agentRef: { name: 'nobody' } }),
      says: /Agent nobody, which the run refers to, does not exist/,
    },
    {
      because: 'if the provider of its agent does not exist',
      reason: 'DependencyMissing',
      there: [agent({ providerRef: { name: 'none' } })],
      says: /AgentProvider none, which Agent coder refers to/,
    },
    {
      because: 'if its implementation does not exist',
      reason: 'DependencyMissing',
      run: runOf({ implementation: undefined, implementationSpecRef: { name: 'w' } }),
      says: /ImplementationSpec w/,
    },
    {
      because: 'if its memory does not exist',
      reason: 'DependencyMissing',
      run: runOf({ memoryRef: { name: 'm' } }),
      says: /Memory m/,
    },
    {
      because: 'if one of its Secrets does not exist',
      reason: 'DependencyMissing',
      run: runOf({ secrets: ['s'] }),
      says: /Secret s does not exist.*referred to by the run/,
    },
    {
      because: 'if its system prompt does not exist',
      reason: 'DependencyMissing',
      run: runOf({ systemPromptRef: { kind: 'ConfigMap', name: 'p', key: 'k' } }),
      there: [keys('ConfigMap', 'p', 'other')],
      says: /ConfigMap p has no key k/,
    },
    {
      because: "if the platform's credentials do not exist",
      reason: 'DependencyMissing',
      env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'auth' },
      there: [keys('Secret', 'auth', 'x')],
      says: /no key auth\.json/,
    },
    {
      because: 'if its agent is not ready',
      reason: 'DependencyNotReady',
      there: [objectOf('Agent', 'coder', coder.spec as object as Record<string, unknown>, unready)],
      says: /Agent coder is not ready: it is broken/,
    },
    {
      because: 'if the provider was not reconciled yet',
      reason: 'DependencyNotReady',
      there: [objectOf('AgentProvider', 'codex', { binary: 'x' }, { status: {} })],
      says: /AgentProvider codex is not ready: it was not reconciled yet/,
    },
    {
      because: 'if its memory is not ready',
      reason: 'DependencyNotReady',
      run: runOf({ memoryRef: { name: 'm' } }),
      there: [
        objectOf(
          'Memory',
          'm',
          { type: 'redis', connection: { secretRef: { name: 'c' } } },
          unready,
        ),
      ],
      says: /Memory m is not ready/,
    },
  ]
  test.each(rows)('$because', ({ reason, run = runOf(), there = [], env, says }) => {
    const resolution = resolveWork(run, undefined, portsWith([...there, run], env))
    expect(resolution).toMatchObject({
      kind: 'waiting',
      reason,
      message: expect.stringMatching(says),
    })
  })

  test('unless it would be refused anyway', () => {
    const run = runOf({ ...contract(['stage']), secrets: ['absent'] })
    expect(resolveWork(run, undefined, portsWith([run]))).toMatchObject({ kind: 'refused' })
  })
})

describe('a run gets', () => {
  const memory = (name: string, spec = {}, rest = {}) =>
    objectOf(
      'Memory',
      name,
      { type: 'redis', connection: { secretRef: { name: 'c', key: 'url' } }, ...spec },
      rest,
    )
  const memories = [memory('of-run'), memory('of-agent'), memory('of-all', { default: true })]
  const prompts = [keys('Secret', 's', 'k'), keys('ConfigMap', 'c', 'k')]
  const inDefaults = (defaults: object) => agent({ defaults })

  const rows: readonly {
    readonly because: string
    readonly run?: AgentRun
    readonly there?: readonly KubeObject[]
    readonly env?: Record<string, string>
    readonly work: (work: ResolvedWork) => unknown
    readonly is: unknown
  }[] = [
    {
      because: 'the memory that it refers to',
      run: runOf({ memoryRef: { name: 'of-run' } }),
      there: [agent({ memoryRef: { name: 'of-agent' } }), ...memories],
      work: ({ memory: m }) => m?.metadata.name,
      is: 'of-run',
    },
    {
      because: 'the memory of its agent, if it refers to none',
      there: [agent({ memoryRef: { name: 'of-agent' } }), ...memories],
      work: ({ memory: m }) => m?.metadata.name,
      is: 'of-agent',
    },
    {
      because: 'the default memory, if its agent refers to none',
      there: memories,
      work: ({ memory: m }) => m?.metadata.name,
      is: 'of-all',
    },
    {
      because: 'no default memory that is not ready, and a note',
      there: [memory('of-all', { default: true }, unready)],
      work: ({ memory: m, notes }) => [m, notes],
      is: [undefined, ['the default Memory is not used: Memory of-all is not ready: it is broken']],
    },
    {
      because: 'no default memory that its agent does not allow',
      there: [memory('of-all', { default: true }), agent({ security: { allowedSecrets: ['x'] } })],
      work: ({ memory: m }) => m,
      is: undefined,
    },
    {
      because: 'no default memory of another namespace',
      there: [memory('of-all', { default: true }, { metadata: { namespace: 'other' } })],
      work: ({ memory: m }) => m,
      is: undefined,
    },
    {
      because: 'the prompt that it refers to, before that of its agent',
      run: runOf({ systemPromptRef: { kind: 'Secret', name: 's', key: 'k' } }),
      there: [
        inDefaults({ systemPromptRef: { kind: 'ConfigMap', name: 'c', key: 'k' } }),
        ...prompts,
      ],
      work: ({ systemPrompt }) => systemPrompt,
      is: { kind: 'Secret', name: 's', key: 'k' },
    },
    {
      because: 'its inline prompt, before the prompt that its agent refers to',
      run: runOf({ systemPrompt: 'Be brief.' }),
      there: [
        inDefaults({ systemPromptRef: { kind: 'ConfigMap', name: 'c', key: 'k' } }),
        ...prompts,
      ],
      work: ({ systemPrompt }) => systemPrompt,
      is: {
        kind: 'inline',
        text: 'Be brief.',
        hash: '213c22ed7234eb11116e1e88f314c73cb3a019b5c87fe224b6ce5665bd9ec50e',
      },
    },
    {
      because: 'the prompt of its agent, if its own is blank',
      run: runOf({ systemPrompt: ' \n' }),
      there: [inDefaults({ systemPrompt: 'Be kind.' })],
      work: ({ systemPrompt }) => systemPrompt?.kind === 'inline' && systemPrompt.text,
      is: 'Be kind.',
    },
    {
      because: 'the image that it specifies',
      run: runOf({ workload: { image: 'mine:1' } }),
      env: { JANGAR_AGENT_IMAGE: 'last:1' },
      work: ({ image }) => image,
      is: 'mine:1',
    },
    {
      because: 'the image of the runner, if it specifies none',
      env: { JANGAR_AGENT_IMAGE: 'last:1' },
      work: ({ image }) => image,
      is: 'registry.example.com/agents/runner:1',
    },
    {
      because: 'the fallback image, if no runner image is set',
      env: { JANGAR_AGENT_RUNNER_IMAGE: '', JANGAR_AGENT_IMAGE: 'last:1' },
      work: ({ image }) => image,
      is: 'last:1',
    },
    {
      because: 'the service account that it specifies',
      run: runOf({ runtime: { type: 'job', config: { serviceAccount: 'mine' } } }),
      env: {
        JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT: 'platform',
        JANGAR_AGENTS_CONTROLLER_SERVICE_ACCOUNTS_ALLOWED: 'mine',
      },
      work: ({ serviceAccount }) => serviceAccount,
      is: 'mine',
    },
    {
      because: 'the service account of the platform, if it specifies none',
      env: { JANGAR_AGENT_RUNNER_SERVICE_ACCOUNT: 'platform' },
      work: ({ serviceAccount }) => serviceAccount,
      is: 'platform',
    },
    {
      because: 'the limits of its agent, if it specifies none',
      there: [inDefaults({ timeoutSeconds: 9, retryLimit: 2, retryBackoffSeconds: 3 })],
      work: (w) => [w.timeoutSeconds, w.retries, w.retryBackoffSeconds],
      is: [9, 2, 3],
    },
    {
      because: 'the limits that it specifies, even if they are 0',
      run: runOf({ timeoutSeconds: 0, retries: 0, retryBackoffSeconds: 0 }),
      there: [inDefaults({ timeoutSeconds: 9, retryLimit: 2, retryBackoffSeconds: 3 })],
      work: (w) => [w.timeoutSeconds, w.retries, w.retryBackoffSeconds],
      is: [0, 0, 0],
    },
    {
      because: 'the names of the keys in its Secrets',
      run: runOf({ secrets: ['s', 's'] }),
      there: [keys('Secret', 's', 'B', 'A')],
      work: ({ secrets }) => secrets,
      is: [{ name: 's', keys: ['A', 'B'] }],
    },
    {
      because: 'its repository in lower case, for limits per repository',
      run: runOf({ parameters: { repo: 'Org/Name' } }),
      work: ({ repository, metadata }) => [repository, metadata.repository],
      is: ['org/name', 'Org/Name'],
    },
    {
      because: "its idempotency key, if another agent's run has the same one",
      run: runOf({ idempotencyKey: 'k' }),
      there: [
        runOf(
          { idempotencyKey: 'k', agentRef: { name: 'else' } },
          { metadata: { name: 'a', uid: '1' } },
        ),
      ],
      work: () => true,
      is: true,
    },
    {
      because: 'its idempotency key, if the run with the same one is younger',
      run: runOf(
        { idempotencyKey: 'k' },
        { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } },
      ),
      there: [
        runOf(
          { idempotencyKey: 'k' },
          { metadata: { name: 'a', uid: '1', creationTimestamp: '2026-01-02T00:00:00Z' } },
        ),
      ],
      work: () => true,
      is: true,
    },
  ]
  test.each(rows)('$because', ({ run = runOf(), there = [], env, work, is }) => {
    const resolution = resolveWork(
      run,
      undefined,
      portsWith([keys('Secret', 'c', 'url'), ...there, run], env),
    )
    if (resolution.kind !== 'resolved') throw new Error(resolution.message)
    expect(work(resolution.work)).toEqual(is)
  })
})

describe('a step gets', () => {
  const spec = {
    ...workflow({
      name: 's',
      parameters: { stage: 'of-step' },
      retries: -3,
      retryBackoffSeconds: -1,
      timeoutSeconds: 7,
    }),
    parameters: { stage: 'of-run', more: 'of-run' },
    workload: { image: 'of-run:1', resources: { limits: { cpu: '1' } } },
    retries: 5,
    timeoutSeconds: 99,
  }
  const workOf = (run: AgentRun, ...there: KubeObject[]) => {
    const resolution = resolveWork(run, run.spec.workflow?.steps[0], portsWith([...there, run]))
    if (resolution.kind !== 'resolved') throw new Error(resolution.message)
    return resolution.work
  }

  test('its parameters merged over those of the run, and its own limits, none of them negative', () => {
    expect(workOf(runOf(spec))).toMatchObject({
      parameters: { stage: 'of-step', more: 'of-run' },
      image: 'of-run:1',
      retries: 0,
      retryBackoffSeconds: 0,
      timeoutSeconds: 7,
      runTimeoutSeconds: 99,
    })
  })

  test("its workload in place of the run's, without merging", () => {
    const own = { ...spec, ...workflow({ name: 's', workload: { image: 'of-step:1' } }) }
    expect(workOf(runOf(own)).workload).toEqual({ image: 'of-step:1' })
  })

  test.each([
    {
      because: 'that is inline in the step',
      step: { implementation: { inline: { text: 'step' } }, implementationSpecRef: { name: 'w' } },
      text: 'step',
    },
    {
      because: 'that the step refers to',
      step: { implementationSpecRef: { name: 'w' } },
      text: 'named',
    },
    { because: 'of the run', step: {}, text: 'Do it.' },
  ])('the implementation $because', ({ step, text }) => {
    const named = objectOf('ImplementationSpec', 'w', { text: 'named' })
    expect(workOf(runOf(workflow({ name: 's', ...step })), named).implementation.text).toBe(text)
  })

  test('no other provider than that of its agent', () => {
    expect(workOf(runOf(spec), objectOf('AgentProvider', 'other', { binary: 'x' })).provider).toBe(
      codex,
    )
  })
})
