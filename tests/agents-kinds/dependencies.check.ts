import {
  agent,
  agentProvider,
  implementationSource,
  implementationSpec,
  memory,
  versionControlProvider,
} from '@agents/jangar-api'
import { ConfigMapKind, kindRef, SecretKind } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { startAgents } from './agents-bench.ts'
import { agentsServer } from './agents-server.ts'
import { expectSettled } from './settled.ts'

const agents = kindRef(agent)
const providers = kindRef(agentProvider)
const memories = kindRef(memory)
const services = kindRef(versionControlProvider)
const works = kindRef(implementationSpec)
const sources = kindRef(implementationSource)

const text = (value: string) => Buffer.from(value).toString('base64')

describe('what an object depends on', () => {
  const client = agentsServer()

  test('an agent waits for everything it names, one after the other, and heals', async () => {
    const bench = await startAgents(client())
    const { create, told } = bench
    await create(agents, 'a', {
      spec: {
        providerRef: { name: 'p' },
        memoryRef: { name: 'm' },
        vcsRef: { name: 'v' },
        defaults: { systemPromptRef: { kind: 'ConfigMap', name: 'c', key: 'prompt' } },
      },
    })
    expect(await told(agents, 'a', 'Ready', 'MissingProvider')).toContain('AgentProvider p')
    await create(providers, 'p', { spec: { binary: ' ' } })
    await told(agents, 'a', 'Ready', 'ProviderNotReady', 'spec.binary')
    const binary = { type: 'merge', body: { spec: { binary: '/bin/sh' } } } as const
    await client().patch(providers, { namespace: bench.namespace, name: 'p' }, binary)
    expect(await told(agents, 'a', 'Ready', 'MissingMemory')).toContain('Memory m')
    const secretRef = { name: 's' }
    await create(memories, 'm', { spec: { type: 'custom', connection: { secretRef } } })
    expect(await told(agents, 'a', 'Ready', 'MissingVcsProvider')).toContain(
      'VersionControlProvider v',
    )
    await create(services, 'v', { spec: { provider: 'generic' } })
    expect(await told(agents, 'a', 'Ready', 'MissingSystemPrompt')).toContain('ConfigMap c')
    await create(ConfigMapKind, 'c', { data: { other: '' } })
    await told(agents, 'a', 'Ready', 'MissingSystemPrompt', 'no key prompt')
    const prompt = { type: 'merge', body: { data: { prompt: 'Be brief.' } } } as const
    await client().patch(ConfigMapKind, { namespace: bench.namespace, name: 'c' }, prompt)
    await bench.ready(agents, 'a')
    await expectSettled(bench, agents, 'a')
  })

  test('an agent notices when what it names vanishes', async () => {
    const bench = await startAgents(client())
    const { create, told, ready, namespace } = bench
    await create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await create(services, 'v', { spec: { provider: 'generic' } })
    await create(agents, 'a', { spec: { providerRef: { name: 'p' }, vcsRef: { name: 'v' } } })
    await create(works, 'w', { spec: { text: 'x', vcsRef: { name: 'v' } } })
    await ready(agents, 'a')
    await ready(works, 'w')
    await client().delete(services, { namespace, name: 'v' })
    await told(agents, 'a', 'Ready', 'MissingVcsProvider')
    await told(works, 'w', 'Ready', 'MissingVcsProvider')
    await client().delete(providers, { namespace, name: 'p' })
    await told(agents, 'a', 'Ready', 'MissingProvider')
    await create(services, 'v', { spec: { provider: 'generic' } })
    await create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await ready(agents, 'a')
    await ready(works, 'w')
  })

  test('a prompt in a Secret that the agent does not allow is a matter for a person', async () => {
    const bench = await startAgents(client())
    await bench.create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await bench.create(agents, 'a', {
      spec: {
        providerRef: { name: 'p' },
        security: { allowedSecrets: ['another'] },
        defaults: { systemPromptRef: { kind: 'Secret', name: 's', key: 'k' } },
      },
    })
    await bench.told(agents, 'a', 'Stalled', 'SecretNotAllowed')
  })

  test.each([
    {
      because: 'a source of work',
      kind: sources,
      spec: {
        provider: 'github',
        auth: { secretRef: { name: 's', key: 'k' } },
        webhook: { enabled: true },
      },
    },
    {
      because: 'a service with a token',
      kind: services,
      spec: { provider: 'github', auth: { token: { secretRef: { name: 's', key: 'k' } } } },
    },
    {
      because: 'a store',
      kind: memories,
      spec: { type: 'weaviate', connection: { secretRef: { name: 's', key: 'k' } } },
    },
  ])('$because waits for its Secret and the key in it', async ({ kind, spec }) => {
    const bench = await startAgents(client())
    const { create, told, namespace } = bench
    await create(kind, 'x', { spec })
    expect(await told(kind, 'x', 'Ready', 'SecretNotFound')).toContain('Secret s')
    await create(SecretKind, 's', { data: { other: text('v') } })
    expect(await told(kind, 'x', 'Ready', 'SecretKeyMissing')).toContain('no key k')
    const key = { type: 'merge', body: { data: { k: text('hush') } } } as const
    await client().patch(SecretKind, { namespace, name: 's' }, key)
    await bench.ready(kind, 'x')
    await expectSettled(bench, kind, 'x')
    await client().delete(SecretKind, { namespace, name: 's' })
    await told(kind, 'x', 'Reconciling', 'SecretNotFound')
    expect(bench.words.join('\n')).not.toContain('hush')
  })

  test('an SSH service waits for its host keys, and says that old tokens are old', async () => {
    const bench = await startAgents(client())
    const { create, told } = bench
    const ssh = { privateKeySecretRef: { name: 's' }, knownHostsConfigMapRef: { name: 'h' } }
    await create(SecretKind, 's', { data: { privateKey: text('k'), token: text('t') } })
    await create(services, 'ssh', { spec: { provider: 'gitea', auth: { ssh } } })
    expect(await told(services, 'ssh', 'Ready', 'ConfigMapNotFound')).toContain('ConfigMap h')
    await create(ConfigMapKind, 'h', { data: { known_hosts: 'x' } })
    await bench.ready(services, 'ssh')
    const token = { type: 'pat', secretRef: { name: 's' } }
    await create(services, 'old', { spec: { provider: 'github', auth: { token } } })
    await bench.ready(services, 'old')
    expect(await told(services, 'old', 'Validated', 'DeprecatedAuth')).toContain('pat')
  })
})
