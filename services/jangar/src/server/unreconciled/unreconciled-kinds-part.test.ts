import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { type AnyKind, customResourceDefinition } from '@agents/crd'
import { orchestration, orchestrationRun } from '@agents/jangar-api'
import {
  bearer,
  CustomResourceDefinitionKind,
  createKubeClient,
  type KubeClient,
  type KubeObject,
  kindRef,
  staticCredentials,
} from '@agents/kube'
import { createLogger } from '@agents/log'
import { expect, onTestFinished, test, vi } from 'vitest'
import { unreconciledKindsPart } from './unreconciled-kinds-part.ts'

const patient = { timeout: 60_000, interval: 50 }
const log = createLogger({ sink: { write: () => undefined } })
const namespace = 'default'
const notReconciled = 'no controller of this release reconciles this kind'

interface Reported extends KubeObject {
  status?: {
    observedGeneration?: number
    phase?: string
    updatedAt?: string
    conditions?: { type: string; status: string; reason: string; message: string }[]
  }
}

/** A cluster in which only some of the kinds are installed, with the part of the process. */
async function newCluster(...kinds: readonly AnyKind[]): Promise<KubeClient> {
  const server = await startApiServer({ logger: log })
  onTestFinished(() => server.stop())
  const client = createKubeClient({
    server: server.url,
    namespace,
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  onTestFinished(() => client.close())
  for (const kind of kinds) {
    await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
  }
  const stopping = new AbortController()
  const part = unreconciledKindsPart({
    ...{ client, namespaces: ['*'], log, clock: systemClock },
    // No kind of this release is without a controller.
    kinds: [orchestration, orchestrationRun],
    backoff: { baseMs: 50, maxMs: 2000 },
  })
  const ended = part.run(stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await ended
  })
  return client
}

function objectOf(kind: AnyKind, name: string, spec: object): KubeObject {
  const { apiVersion } = kind
  return { apiVersion, kind: kind.kind, metadata: { name, namespace }, spec } as KubeObject
}

async function conditionsOf(client: KubeClient, kind: AnyKind, name: string) {
  const found = await client.get(kindRef<Reported>(kind), { namespace, name })
  return found.status?.conditions?.map(({ type, status, reason }) => `${type}=${status}/${reason}`)
}

test('reports that nothing reconciles an object, and writes again only if it changes', {
  timeout: 120_000,
}, async () => {
  const client = await newCluster(orchestration, orchestrationRun)
  const graphs = kindRef<Reported>(orchestration)
  await client.create(graphs, objectOf(orchestration, 'b', { steps: [] }) as never)
  await client.create(
    kindRef(orchestrationRun),
    objectOf(orchestrationRun, 'r', { orchestrationRef: { name: 'o' } }) as never,
  )
  await vi.waitFor(async () => {
    expect((await conditionsOf(client, orchestration, 'b'))?.slice(0, 2)).toEqual([
      'Ready=False/NotReconciled',
      'Stalled=True/NotReconciled',
    ])
    expect(await conditionsOf(client, orchestrationRun, 'r')).toEqual(
      expect.arrayContaining(['Succeeded=Unknown/NotReconciled', 'Ready=Unknown/NotReconciled']),
    )
  }, patient)
  const key = { namespace, name: 'b' }
  const first = await client.get(graphs, key)
  expect(first.status).toMatchObject({
    observedGeneration: 1,
    phase: 'Pending',
    conditions: expect.arrayContaining([expect.objectContaining({ message: notReconciled })]),
  })

  // A changed label needs no new status, a changed spec does. Objects are reconciled in order.
  const labelled = await client.patch(graphs, key, {
    type: 'merge',
    body: { metadata: { labels: { a: 'b' } } },
  })
  await client.create(graphs, objectOf(orchestration, 'later', { steps: [] }) as never)
  await vi.waitFor(
    async () =>
      expect(await conditionsOf(client, orchestration, 'later')).toContain(
        'Ready=False/NotReconciled',
      ),
    patient,
  )
  const { metadata } = await client.get(graphs, key)
  expect(metadata.resourceVersion).toBe(labelled.metadata.resourceVersion)
  await client.patch(graphs, key, { type: 'merge', body: { spec: { entrypoint: 'a' } } })
  await vi.waitFor(async () => {
    expect((await client.get(graphs, key)).status?.observedGeneration).toBe(2)
  }, patient)
})

test('a definition that is installed later is reported then', { timeout: 120_000 }, async () => {
  const client = await newCluster(orchestrationRun)
  await client.create(CustomResourceDefinitionKind, customResourceDefinition(orchestration))
  await vi.waitFor(
    () =>
      client.create(kindRef(orchestration), objectOf(orchestration, 'b', { steps: [] }) as never),
    patient,
  )
  await vi.waitFor(
    async () =>
      expect(await conditionsOf(client, orchestration, 'b')).toContain('Ready=False/NotReconciled'),
    patient,
  )
})

test('the outcome that another release recorded stays', { timeout: 120_000 }, async () => {
  const client = await newCluster(orchestrationRun)
  const runs = kindRef<Reported>(orchestrationRun)
  const spec = { orchestrationRef: { name: 'o' } }
  await client.create(runs, objectOf(orchestrationRun, 'done', spec) as never)
  const done = await vi.waitFor(async () => {
    const current = await client.get(runs, { namespace, name: 'done' })
    const lastTransitionTime = '2026-01-02T03:04:05Z'
    const outcome = { status: 'True', reason: 'Succeeded', message: '', lastTransitionTime }
    const conditions = ['Succeeded', 'Finished', 'Ready'].map((type) => ({ type, ...outcome }))
    const status = { observedGeneration: 1, conditions }
    return client.update(runs, { ...current, status } as Reported, { subresource: 'status' })
  }, patient)
  // A later object is reconciled after the finished one.
  await client.patch(
    runs,
    { namespace, name: 'done' },
    {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    },
  )
  await client.create(runs, objectOf(orchestrationRun, 'next', spec) as never)
  await vi.waitFor(
    async () =>
      expect(await conditionsOf(client, orchestrationRun, 'next')).toContain(
        'Succeeded=Unknown/NotReconciled',
      ),
    patient,
  )
  const { status } = await client.get(runs, { namespace, name: 'done' })
  expect(status).toEqual(done.status)
})
