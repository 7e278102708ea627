import { describe, expect, test } from 'vitest'
import { resolveWork } from './resolve-work.ts'
import { testRefusals } from './testing/refusal.ts'
import { onHub, required, secrets, vcp } from './testing/repository-run.ts'
import {
  agent,
  codex,
  keys,
  objectOf,
  portsWith,
  runOf,
  workflow,
} from './testing/resolution-fixture.ts'

function binding(name: string, subjects: object[], allowedSecrets: string[]) {
  return objectOf('SecretBinding', name, { subjects, allowedSecrets })
}

const ofCoder = { kind: 'Agent', name: 'coder' }
const own = [keys('Secret', 's', 'k'), keys('Secret', 'other', 'k')]
const none = binding('b', [ofCoder], ['unrelated'])
const store = objectOf('Memory', 'store', {
  type: 'custom',
  connection: { secretRef: { name: 's', key: 'k' } },
})
const isRequired = { JANGAR_AGENTS_CONTROLLER_SECRET_BINDING_REQUIRED: 'true' }
const runner = objectOf('AgentProvider', 'codex', {
  binary: 'agent-runner',
  cli: { name: 'codex' },
})

describe('a run whose Secrets no SecretBinding allows is refused', () => {
  testRefusals({
    SecretNotAllowed: [
      {
        because: 'its agent is a subject, and the run names another Secret',
        run: runOf({ secrets: ['s'] }),
        there: [...own, none],
        says: /^Secret s, listed in secrets, is not in spec\.allowedSecrets of SecretBinding b; /,
      },
      {
        because: 'a step mounts it',
        run: runOf(
          workflow({
            name: 'one',
            workload: {
              volumes: [{ type: 'secret', name: 'v', secretName: 's', mountPath: '/v' }],
            },
          }),
        ),
        there: [...own, none],
        says: /Secret s, mounted as volume v/,
      },
      {
        because: 'its agent adds it by default',
        there: [...own, none, agent({ defaults: { secrets: [{ name: 's' }] } })],
        says: /Secret s, listed in defaults\.secrets/,
      },
      {
        because: 'an MCP server of its agent uses it',
        there: [
          ...own,
          none,
          runner,
          agent({
            mcpServers: [
              {
                name: 'm',
                command: 'm',
                env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
              },
            ],
          }),
        ],
        says: /Secret s, which MCP server m of the agent uses/,
      },
      {
        because: 'its prompt is in it',
        run: runOf({ systemPromptRef: { kind: 'Secret', name: 's', key: 'k' } }),
        there: [...own, none],
        says: /Secret s, which contains the system prompt/,
      },
      {
        because: 'it pulls the image',
        run: runOf({ runtime: { type: 'job', config: { imagePullSecrets: ['s'] } } }),
        there: [...own, none],
        says: /Secret s, which pulls the image/,
      },
      {
        because: 'its Memory connects with it',
        run: runOf({ memoryRef: { name: 'store' } }),
        there: [...own, none, store],
        says: /Secret s, which contains the connection string/,
      },
      {
        because: 'version control signs in with it',
        run: onHub(required()),
        there: [...secrets, none, vcp()],
        says: /Secret t, which contains the credentials of VersionControlProvider hub/,
      },
      {
        because: 'the platform mounts it into every run',
        there: [keys('Secret', 'login', 'auth.json'), none],
        env: { JANGAR_AGENTS_CONTROLLER_AUTH_SECRET_NAME: 'login' },
        says: /Secret login, which the platform mounts/,
      },
      {
        because: 'the platform requires a binding, and there is none',
        run: runOf({ secrets: ['s'] }),
        there: own,
        env: isRequired,
        says: /no SecretBinding has a subject among AgentRun r, Agent coder, ServiceAccount default, Namespace team, and the platform requires one/,
      },
      {
        because: 'it names a binding of which it is no subject, which another run could use',
        run: runOf({ secrets: ['s'], policy: { secretBindingRef: { name: 'b' } } }),
        there: [...own, binding('b', [{ kind: 'Agent', name: 'deployer' }], ['s'])],
        says: /SecretBinding b has no subject among AgentRun r, Agent coder/,
      },
      {
        because: 'it names a binding that is narrower than the others',
        run: runOf({ secrets: ['s'], policy: { secretBindingRef: { name: 'b' } } }),
        there: [...own, none, binding('wide', [ofCoder], ['s'])],
        says: /SecretBinding b;/,
      },
      {
        because: 'its binding is invalid, and allows nothing',
        run: runOf({ secrets: ['s'] }),
        there: [...own, binding('b', [ofCoder, { kind: 'Cat', name: 'x' }], ['s'])],
        says: /SecretBinding b is invalid and allows nothing/,
      },
      {
        because: 'its binding allows no Secret at all',
        run: runOf({ secrets: ['s'] }),
        there: [...own, binding('b', [ofCoder], [])],
        says: /SecretBinding b/,
      },
      ...[
        { kind: 'AgentRun', name: 'r' },
        { kind: 'ServiceAccount', name: 'default' },
        { kind: 'Namespace', name: 'team' },
      ].map((subject) => ({
        because: `a binding restricts its ${subject.kind}`,
        run: runOf({ secrets: ['s'] }),
        there: [...own, binding('b', [subject], ['unrelated'])],
        says: /SecretBinding b;/,
      })),
    ],
  })
})

describe('a run is accepted', () => {
  const foreign = {
    ...binding('b', [ofCoder], ['unrelated']),
    metadata: { name: 'b', namespace: 'other', uid: 'u' },
  }
  test.each([
    ['no binding concerns it', runOf({ secrets: ['s'] }), []],
    ['a binding allows its Secret', runOf({ secrets: ['s'] }), [binding('b', [ofCoder], ['s'])]],
    [
      'two bindings allow its Secrets together',
      runOf({ secrets: ['s', 'other'] }),
      [
        binding('b', [ofCoder], ['s']),
        binding('c', [{ kind: 'Namespace', name: 'team' }], ['other']),
      ],
    ],
    [
      'the binding that it names allows its Secret',
      runOf({ secrets: ['s'], policy: { secretBindingRef: { name: 'b' } } }),
      [binding('b', [ofCoder], ['s'])],
    ],
    [
      'the binding is for a Tool of the same name',
      runOf({ secrets: ['s'] }),
      [binding('b', [{ kind: 'Tool', name: 'coder' }], ['unrelated'])],
    ],
    ['the binding is of another namespace', runOf({ secrets: ['s'] }), [foreign]],
    ['it uses no Secrets', runOf(), [none]],
  ])('because %s', (_because, run, bindings) => {
    const resolution = resolveWork(run, undefined, portsWith([...own, ...bindings, codex, run]))
    expect(resolution).toMatchObject({ kind: 'resolved' })
  })

  test('without the default Memory, if no binding allows its Secret', () => {
    const memory = { ...store, spec: { ...(store as { spec?: object }).spec, default: true } }
    const run = runOf()
    const resolution = resolveWork(run, undefined, portsWith([...own, none, memory, run]))
    expect(resolution).toMatchObject({
      kind: 'resolved',
      work: { notes: [expect.stringMatching(/default Memory is not used: Secret s, /)] },
    })
    expect(resolution).not.toHaveProperty('work.memory')
  })
})

test('a run waits for the binding that it names', () => {
  const run = runOf({ policy: { secretBindingRef: { name: 'b' } } })
  expect(resolveWork(run, undefined, portsWith([run]))).toMatchObject({
    kind: 'waiting',
    reason: 'DependencyMissing',
    message: expect.stringMatching(/SecretBinding b, which the run refers to, does not exist/),
  })
})
