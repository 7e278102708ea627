import { customResourceDefinition } from '@agents/crd'
import { agent, agentProvider, implementationSpec, memory } from '@agents/jangar-api'
import {
  CustomResourceDefinitionKind,
  type KubeClient,
  type KubeObject,
  kindRef,
  SecretKind,
} from '@agents/kube'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestCluster } from '../cluster/testing/test-cluster.ts'
import { checkNames } from './check-names.ts'

const namespace = 'default'
let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster())
  for (const kind of [agent, agentProvider, implementationSpec, memory]) {
    await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
    const served = kindRef<KubeObject>(kind)
    await vi.waitFor(() => client.list(served, { namespace }), { timeout: 30_000, interval: 100 })
  }
  const provided = (name: string) => ({
    metadata: { name: 'codex', namespace },
    spec: { providerRef: { name } },
  })
  await client.create(kindRef<KubeObject>(agent), provided('codex-cli') as never)
  await client.create(kindRef<KubeObject>(agentProvider), {
    metadata: { name: 'codex-cly', namespace },
    spec: { binary: 'codex' },
  } as never)
  await client.create(SecretKind, { metadata: { name: 'openai', namespace } })
})
afterAll(() => stop?.())

function check(spec: Record<string, unknown>, needsRepository = false) {
  const run = { metadata: { name: 'r', namespace }, spec: { runtime: { type: 'job' }, ...spec } }
  return checkNames(client, run as never, new AbortController().signal, needsRepository).then(
    () => [],
    (error: Error) => error.message.split('\n'),
  )
}

test('all names that do not exist are reported together, with the nearest ones', async () => {
  const implementationSpecRef = { name: 'hello' }
  const secrets = ['openai', 'opnai']
  expect(await check({ agentRef: { name: 'codx' }, implementationSpecRef, secrets })).toEqual([
    'Agent "codx" does not exist in namespace default; did you mean codex?',
    'ImplementationSpec "hello" does not exist in namespace default',
    'Secret "opnai" does not exist in namespace default; did you mean openai?',
  ])
})

test('so is the provider of the agent', async () => {
  expect(await check({ agentRef: { name: 'codex' }, secrets: ['openai'] })).toEqual([
    'AgentProvider "codex-cli", which Agent codex refers to, does not exist in namespace default; did you mean codex-cly?',
  ])
  await client.create(kindRef<KubeObject>(agentProvider), {
    metadata: { name: 'codex-cli', namespace },
    spec: { binary: 'codex' },
  } as never)
  expect(await check({ agentRef: { name: 'codex' }, secrets: ['openai'] })).toEqual([])
})

test('a repository needs a VersionControlProvider of the run or its agent', async () => {
  const agents = kindRef<KubeObject>(agent)
  const spec = { providerRef: { name: 'codex-cly' } }
  await client.create(agents, { metadata: { name: 'plain', namespace }, spec } as never)
  const linked = { ...spec, vcsRef: { name: 'forge' } }
  await client.create(agents, { metadata: { name: 'linked', namespace }, spec: linked } as never)
  expect(await check({ agentRef: { name: 'plain' } })).toEqual([])
  expect(await check({ agentRef: { name: 'plain' } }, true)).toEqual([
    'Agent "plain" has no vcsRef, so the run would not get a repository',
  ])
  expect(await check({ agentRef: { name: 'plain' }, vcsRef: { name: 'forge' } }, true)).toEqual([])
  expect(await check({ agentRef: { name: 'linked' } }, true)).toEqual([])
})
