import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@agents/artifact-store'
import type { Artifact } from '@agents/jangar-api'
import { type KubeClient, KubeError } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { uploadAcceptor } from './accept-upload.ts'

const run = {
  ...{ namespace: 'team', group: 'agents.proompteng.ai', kind: 'AgentRun', name: 'r', uid: 'u' },
  job: { name: 'r', uid: 'j' },
}
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agents-uploads-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The Artifacts of a cluster, which several control planes write. */
function cluster() {
  const artifacts = new Map<string, Artifact>()
  let lists = 0
  const client = {
    get: async () => ({
      metadata: { name: run.name, uid: run.uid },
      status: { runtimeRef: { type: 'job', name: 'r', uid: 'j' } },
    }),
    list: async () => {
      lists += 1
      return { items: [...artifacts.values()] }
    },
    create: async (_kind: unknown, object: Artifact) => {
      if (artifacts.has(object.metadata.name)) {
        throw new KubeError('exists', { reason: 'AlreadyExists', code: 409 })
      }
      artifacts.set(object.metadata.name, object)
      return object
    },
  } as unknown as Pick<KubeClient, 'get' | 'list' | 'create'>
  return { artifacts, client, lists: () => lists }
}

function plane(
  client: Pick<KubeClient, 'get' | 'list' | 'create'>,
  maxPerRun: number,
  maxRunBytes = 1e9,
) {
  const limits = { maxBytes: 1000, maxRunBytes, maxPerRun, ttlDays: 0 }
  const accept = uploadAcceptor({
    ...{ client, limits, log: silentLogger },
    store: openStore({ driver: 'file', folder }),
  })
  return (name: string) =>
    accept(
      {
        ...{ run, pod: { name: 'p', uid: 'p' }, type: 'File', name, contentType: 'text/plain' },
        ...{ digest: createHash('sha256').update(name).digest('hex'), sizeBytes: name.length },
      },
      (async function* () {
        yield Buffer.from(name)
      })(),
    )
}

test('many small uploads of a run do not list its Artifacts for each of them', async () => {
  const { client, artifacts, lists } = cluster()
  const upload = plane(client, 10_000)
  for (let at = 0; at < 60; at += 1) await upload(`file-${at}`)
  expect(artifacts.size).toBe(60)
  expect(lists()).toBeLessThan(5)
})

test.each([
  { what: 'count', maxPerRun: 50, maxRunBytes: 1e9, kept: 50 },
  // Each of them has 7 bytes.
  { what: 'size', maxPerRun: 1000, maxRunBytes: 400, kept: 57 },
])('eight control planes together keep the limit of $what of a run', async (row) => {
  const { client, artifacts } = cluster()
  const planes = Array.from({ length: 8 }, () => plane(client, row.maxPerRun, row.maxRunBytes))
  let refused = 0
  for (let at = 0; at < 100; at += 1) {
    const sent = planes[at % 8]?.(`file-${String(at).padStart(2, '0')}`)
    await sent?.catch(({ message }: Error) => {
      expect(message).toMatch(/at most/)
      refused += 1
    })
  }
  expect(artifacts.size).toBe(row.kept)
  expect(refused).toBe(100 - row.kept)
})

test('what was deleted makes room again', async () => {
  const { client, artifacts } = cluster()
  const upload = plane(client, 3)
  for (const name of ['a', 'b', 'c']) await upload(name)
  await expect(upload('d')).rejects.toThrow('a run has at most 3 artifacts')
  artifacts.clear()
  await upload('d')
  expect(artifacts.size).toBe(1)
})

test.each([
  { because: 'a kind of another group', forged: { apiVersion: 'example.com/v1' } },
  { because: 'another kind', forged: { kind: 'ToolRun' } },
  { because: 'a further owner', forged: { controller: false } },
])('Artifacts that name the run as $because take no room from it', async ({ forged }) => {
  const { client, artifacts } = cluster()
  const owner = {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun', name: 'r', uid: 'u' },
    ...{ controller: true, ...forged },
  }
  artifacts.set('forged', {
    metadata: { name: 'forged', namespace: 'team', ownerReferences: [owner] },
    spec: { source: { sizeBytes: 1e15 } },
  } as unknown as Artifact)
  const upload = plane(client, 1, 1000)
  await upload('file')
  expect(artifacts.size).toBe(2)
})
