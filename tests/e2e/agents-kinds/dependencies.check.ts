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
import { startAgents } from './agents-harness.ts'
import { agentsServer } from './agents-server.ts'
import { expectSettled } from './settled.ts'

const agents = kindRef(agent)
const providers = kindRef(agentProvider)
const memories = kindRef(memory)
const services = kindRef(versionControlProvider)
const works = kindRef(implementationSpec)
const sources = kindRef(implementationSource)

function text(value: string) {
  return Buffer.from(value).toString('base64')
}

describe('the dependencies of an object', () => {
  const client = agentsServer()

  test('an agent waits for each dependency in turn, and recovers', async () => {
    const harness = await startAgents(client())
    const { create, waitForCondition } = harness
    await create(agents, 'a', {
      spec: {
        providerRef: { name: 'p' },
        memoryRef: { name: 'm' },
        vcsRef: { name: 'v' },
        defaults: { systemPromptRef: { kind: 'ConfigMap', name: 'c', key: 'prompt' } },
      },
    })
    expect(await waitForCondition(agents, 'a', 'Ready', 'MissingProvider')).toContain(
      'AgentProvider p',
    )
    await create(providers, 'p', { spec: { binary: ' ' } })
    await waitForCondition(agents, 'a', 'Ready', 'ProviderNotReady', 'spec.binary')
    const binary = { type: 'merge', body: { spec: { binary: '/bin/sh' } } } as const
    await client().patch(providers, { namespace: harness.namespace, name: 'p' }, binary)
    expect(await waitForCondition(agents, 'a', 'Ready', 'MissingMemory')).toContain('Memory m')
    const secretRef = { name: 's' }
    await create(memories, 'm', { spec: { type: 'custom', connection: { secretRef } } })
    expect(await waitForCondition(agents, 'a', 'Ready', 'MissingVcsProvider')).toContain(
      'VersionControlProvider v',
    )
    await create(services, 'v', { spec: { provider: 'generic' } })
    expect(await waitForCondition(agents, 'a', 'Ready', 'MissingSystemPrompt')).toContain(
      'ConfigMap c',
    )
    await create(ConfigMapKind, 'c', { data: { other: '' } })
    await waitForCondition(agents, 'a', 'Ready', 'MissingSystemPrompt', 'no key prompt')
    const prompt = { type: 'merge', body: { data: { prompt: 'Be brief.' } } } as const
    await client().patch(ConfigMapKind, { namespace: harness.namespace, name: 'c' }, prompt)
    await harness.ready(agents, 'a')
    await expectSettled(harness, agents, 'a')
  })

  test('an agent notices when a dependency is deleted', async () => {
    const harness = await startAgents(client())
    const { create, waitForCondition, ready, namespace } = harness
    await create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await create(services, 'v', { spec: { provider: 'generic' } })
    await create(agents, 'a', { spec: { providerRef: { name: 'p' }, vcsRef: { name: 'v' } } })
    await create(works, 'w', { spec: { text: 'x', vcsRef: { name: 'v' } } })
    await ready(agents, 'a')
    await ready(works, 'w')
    await client().delete(services, { namespace, name: 'v' })
    await waitForCondition(agents, 'a', 'Ready', 'MissingVcsProvider')
    await waitForCondition(works, 'w', 'Ready', 'MissingVcsProvider')
    await client().delete(providers, { namespace, name: 'p' })
    await waitForCondition(agents, 'a', 'Ready', 'MissingProvider')
    await create(services, 'v', { spec: { provider: 'generic' } })
    await create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await ready(agents, 'a')
    await ready(works, 'w')
  })

  test('a prompt from a Secret that the agent does not allow is stalled', async () => {
    const harness = await startAgents(client())
    await harness.create(providers, 'p', { spec: { binary: '/bin/sh' } })
    await harness.create(agents, 'a', {
      spec: {
        providerRef: { name: 'p' },
        security: { allowedSecrets: ['another'] },
        defaults: { systemPromptRef: { kind: 'Secret', name: 's', key: 'k' } },
      },
    })
    await harness.waitForCondition(agents, 'a', 'Stalled', 'SecretNotAllowed')
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
      // No component of this release receives webhooks.
      unready: 'NotServed',
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
  ])('$because waits for its Secret and the key in it', async ({ kind, spec, unready }) => {
    const harness = await startAgents(client())
    const { create, waitForCondition, namespace } = harness
    await create(kind, 'x', { spec })
    expect(await waitForCondition(kind, 'x', 'Ready', 'SecretNotFound')).toContain('Secret s')
    await create(SecretKind, 's', { data: { other: text('v') } })
    expect(await waitForCondition(kind, 'x', 'Ready', 'SecretKeyMissing')).toContain('no key k')
    const key = { type: 'merge', body: { data: { k: text('hush') } } } as const
    await client().patch(SecretKind, { namespace, name: 's' }, key)
    if (unready === undefined) await harness.ready(kind, 'x')
    else await waitForCondition(kind, 'x', 'Ready', unready)
    await expectSettled(harness, kind, 'x')
    await client().delete(SecretKind, { namespace, name: 's' })
    await waitForCondition(kind, 'x', 'Reconciling', 'SecretNotFound')
    expect(harness.words.join('\n')).not.toContain('hush')
  })

  test('an SSH service waits for its host keys, and a deprecated token type is reported', async () => {
    const harness = await startAgents(client())
    const { create, waitForCondition } = harness
    const ssh = { privateKeySecretRef: { name: 's' }, knownHostsConfigMapRef: { name: 'h' } }
    await create(SecretKind, 's', { data: { privateKey: text('k'), token: text('t') } })
    await create(services, 'ssh', { spec: { provider: 'gitea', auth: { ssh } } })
    expect(await waitForCondition(services, 'ssh', 'Ready', 'ConfigMapNotFound')).toContain(
      'ConfigMap h',
    )
    await create(ConfigMapKind, 'h', { data: { known_hosts: 'x' } })
    await harness.ready(services, 'ssh')
    const token = { type: 'pat', secretRef: { name: 's' } }
    await create(services, 'old', { spec: { provider: 'github', auth: { token } } })
    await harness.ready(services, 'old')
    expect(await waitForCondition(services, 'old', 'Validated', 'DeprecatedAuth')).toContain('pat')
  })
})
