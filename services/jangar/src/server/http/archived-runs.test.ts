import { randomUUID } from 'node:crypto'
import { startApiServer } from '@agents/apiserver'
import { type AgentRun, agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ArchivedKind, archiveRun } from '../archive/archive-run.ts'
import { type ArchiveReader, openReader } from '../archive/open-reader.ts'
import type { Database } from '../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { account, startTestApi } from './testing/test-api.ts'

const groups = ['agents.proompteng.ai', 'tools.proompteng.ai', 'orchestration.proompteng.ai']
const read = [
  {
    apiGroups: groups,
    resources: ['agentruns', 'toolruns', 'orchestrationruns'],
    verbs: ['get', 'list'],
  },
]
const onlyTools = [
  { apiGroups: groups, resources: ['toolruns'], verbs: ['get', 'list'] },
  { apiGroups: groups, resources: ['agentruns'], resourceNames: ['named'], verbs: ['get'] },
]
const agentRuns = kindRef<KubeObject>(agentRun)

let database: TestDatabase
let db: Kysely<Database>
let reader: ArchiveReader
let api: Awaited<ReturnType<typeof startTestApi>>
let red: string
let blue: string
let tools: string
let nobody: string

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
  reader = await openReader(database.config, silentLogger)
  api = await startTestApi(startApiServer, { archive: reader.runs })
  red = await account(api.admin, 'red', 'reader', read)
  blue = await account(api.admin, 'blue', 'reader', read)
  tools = await account(api.admin, 'red', 'tools', onlyTools)
  nobody = await account(api.admin, 'red', 'nobody', [])
  // From the newest to the oldest, over several partitions.
  await archive('red', 'newest', { day: '2026-03-09', text: 'Deploy the Web-Shop' })
  await archive('blue', 'plan', {
    day: '2026-03-08',
    text: 'codename zebra',
    labels: { team: 'x' },
  })
  await archive('red', 'failed', {
    ...{ day: '2026-03-07', phase: 'Failed', agent: 'tester', repository: 'Org/Shop' },
  })
  await archive('blue', 'other', {
    ...{ day: '2026-02-07', agent: 'tester', phase: 'Failed', repository: 'org/shop' },
  })
  await archive('red', 'named', { day: '2026-02-06', labels: { team: 'x', tier: 'web' } })
  await archive('red', 'hammer', { day: '2026-01-05', kind: 'ToolRun' })
  await archive('red', 'oldest', { day: '2025-11-05', text: 'deploy été' })
  const live = await api.admin.create(agentRuns, {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { namespace: 'red', name: 'both', labels: { team: 'live' } },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'deploy twice' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
  // The archive has an older state of it, of another repository.
  const working = { ...live, status: { vcs: { repository: 'ORG/shop' } } } as KubeObject
  await api.admin.update(agentRuns, working, { subresource: 'status' })
  const { creationTimestamp: createdAt, uid } = live.metadata
  await archive('red', 'both', {
    day: '',
    createdAt,
    uid,
    text: 'an older text',
    phase: 'Failed',
    repository: 'org/other',
  })
  await vi.waitFor(async () => expect(await names('', api.adminToken)).toHaveLength(8), {
    timeout: 30_000,
  })
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await reader?.close()
  await database?.stop()
})

describe('archived runs are listed', () => {
  test.each([
    {
      query: '',
      found: ['both', 'newest', 'plan', 'failed', 'other', 'named', 'hammer', 'oldest'],
    },
    { query: 'namespace=blue', found: ['plan', 'other'] },
    { query: 'kind=ToolRun', found: ['hammer'] },
    { query: 'agent=tester', found: ['failed', 'other'] },
    { query: 'phase=Failed', found: ['failed', 'other'] },
    { query: 'repository=org/shop', found: ['both', 'failed', 'other'] },
    { query: 'repository=oRG/SHOP.git&namespace=red', found: ['both', 'failed'] },
    { query: 'repository=org/shop&source=archive&phase=Failed', found: ['failed', 'other'] },
    { query: 'repository=org/other', found: [] },
    { query: 'repository=org/other&source=archive', found: ['both'] },
    { query: 'repository=shop', found: [] },
    { query: `repository=${encodeURIComponent("org/shop' or true --")}`, found: [] },
    { query: 'label=team=x', found: ['plan', 'named'] },
    { query: 'label=team', found: ['both', 'plan', 'named'] },
    { query: 'label=team=x&label=tier=web', found: ['named'] },
    { query: 'text=DEPLOY', found: ['both', 'newest', 'oldest'] },
    { query: 'text=shop%20deploy', found: ['newest'] },
    { query: `text=${encodeURIComponent('été')}`, found: ['oldest'] },
    { query: 'text=hammer', found: ['hammer'] },
    { query: 'text=dep', found: [] },
    {
      query: 'since=2026-02-06T00:00:00Z&until=2026-03-08T12:00:00Z',
      found: ['failed', 'other', 'named'],
    },
    {
      query: 'since=2026-03-08T13:00:00%2B01:00&source=archive',
      found: ['both', 'newest', 'plan'],
    },
    { query: 'source=cluster', found: ['both'] },
    { query: 'source=archive&text=older', found: ['both'] },
  ])('by "$query"', async ({ query, found }) => {
    expect(await names(query, api.adminToken)).toEqual(found)
  })

  test('once each, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 7, 8, 10_000]) {
      const seen: string[] = []
      let cursor = ''
      for (;;) {
        const { json } = await api.ask(`/v1/runs?limit=${limit}${cursor}`, {
          token: api.adminToken,
        })
        seen.push(...json.items.map(({ name }: { name: string }) => name))
        if (json.next === undefined) break
        expect(json.items).toHaveLength(limit)
        cursor = `&cursor=${json.next}`
      }
      expect(seen).toEqual([
        'both',
        'newest',
        'plan',
        'failed',
        'other',
        'named',
        'hammer',
        'oldest',
      ])
    }
  })

  test('as they are in the cluster, if they are there too', async () => {
    const { json } = await api.ask('/v1/runs?text=twice', { token: red })
    expect(json.items).toEqual([
      expect.objectContaining({ name: 'both', labels: { team: 'live' } }),
    ])
    expect(json.items[0].archived).toBeUndefined()
    expect(await names('text=older', api.adminToken)).toEqual([])
  })

  test('with a summary like that of other runs', async () => {
    const { json } = await api.ask('/v1/runs?label=tier', { token: red })
    expect(json.items).toEqual([
      {
        ...{ kind: 'AgentRun', namespace: 'red', name: 'named', uid: expect.any(String) },
        ...{ phase: 'Succeeded', of: 'writer', reason: 'Succeeded', message: 'it ended' },
        ...{ createdAt: '2026-02-06T12:00:00Z', finishedAt: '2026-02-06T12:00:00Z' },
        ...{
          startedAt: '2026-02-06T12:00:00Z',
          labels: { team: 'x', tier: 'web' },
          archived: true,
        },
      },
    ])
  })
})

describe('an archived run', () => {
  test('is found by its name', async () => {
    const { json } = await api.ask('/v1/runs/red/hammer', { token: red })
    expect(json.run).toMatchObject({ kind: 'ToolRun', name: 'hammer', archived: true })
    expect(json.resource.spec).toEqual({ toolRef: { name: 'writer' } })
    expect((await api.ask('/v1/runs/red/hammer?kind=AgentRun', { token: red })).status).toBe(404)
  })

  test('is the newest of its name, or that of the uid', async () => {
    const old = randomUUID()
    await archive('green', 'twice', { day: '2026-01-01', uid: old })
    await archive('green', 'twice', { day: '2026-01-02' })
    const get = (query: string) =>
      api.ask(`/v1/runs/green/twice${query}`, { token: api.adminToken })
    expect((await get('')).json.run.createdAt).toBe('2026-01-02T12:00:00Z')
    expect((await get(`?uid=${old}`)).json.run.createdAt).toBe('2026-01-01T12:00:00Z')
    expect((await get(`?uid=${randomUUID()}`)).status).toBe(404)
    await db.deleteFrom('run_archive').where('namespace', '=', 'green').execute()
  })
})

describe('a caller without rights', () => {
  test('lists nothing of other namespaces and kinds, whatever is asked', async () => {
    const own = ['both', 'newest', 'failed', 'named', 'hammer', 'oldest']
    expect(await names('', red)).toEqual(own)
    expect(await names('source=archive', red)).toEqual(own)
    expect(await names('', blue)).toEqual(['plan', 'other'])
    expect(await names('', tools)).toEqual(['hammer'])
    expect(await names('', nobody)).toEqual([])
    expect(await names('repository=org/shop', blue)).toEqual(['other'])
    expect(await names('repository=org/shop', tools)).toEqual([])
    const queries = ['text=zebra', 'text=codename', 'label=team=x&text=plan', 'agent=nobody']
    for (const query of [...queries, 'repository=org/shop&text=other']) {
      const reply = await api.ask(`/v1/runs?${query}`, { token: red })
      // Exactly what a word is answered with that occurs nowhere.
      expect(reply.text).toBe((await api.ask('/v1/runs?text=nowhere', { token: red })).text)
    }
    const refused = await api.ask('/v1/runs?namespace=blue&text=zebra', { token: red })
    expect(refused.status).toBe(403)
    const absent = await api.ask('/v1/runs?namespace=blue&text=nowhere', { token: red })
    expect(refused.text).toBe(absent.text)
  })

  test('learns from neither pages nor cursors how much others have', async () => {
    const all = await api.ask('/v1/runs?limit=6', { token: red })
    expect(all.json.items).toHaveLength(6)
    expect(all.json.next).toBeUndefined()
    const some = await api.ask('/v1/runs?limit=2', { token: red })
    expect(Buffer.from(some.json.next, 'base64url').toString()).toContain('2026-03-09T12:00:00Z')
  })

  test('gets nothing with the cursor of another user, or a forged one', async () => {
    const { json } = await api.ask('/v1/runs?limit=1', { token: blue })
    const after = await api.ask(`/v1/runs?cursor=${json.next}`, { token: red })
    expect(after.json.items.map(({ namespace }: { namespace: string }) => namespace)).toEqual([
      ...['red', 'red', 'red', 'red'],
    ])
    const start = Buffer.from('9000-01-01T00:00:00Z 00000000-0000-0000-0000-000000000000')
    expect(await names(`cursor=${start.toString('base64url')}`, nobody)).toEqual([])
  })

  test.each([
    ['2026-13-01T00:00:00Z 00000000-0000-0000-0000-000000000000', 'the time does not exist'],
    ['0000-01-01T00:00:00Z 00000000-0000-0000-0000-000000000000', 'PostgreSQL has no year 0'],
    ['2026-01-01T00:00:00Z not-a-uuid', 'the uid is not one'],
    ["2026-01-01T00:00:00Z '; drop table run_archive; --", 'SQL'],
    ['2026-01-01T00:00:00.5Z 00000000-0000-0000-0000-000000000000', 'not a whole second'],
  ])('gets 400 for the cursor %s: %s', async (cursor) => {
    const given = Buffer.from(cursor).toString('base64url')
    expect((await api.ask(`/v1/runs?cursor=${given}`, { token: red })).status).toBe(400)
  })

  test.each([
    { query: 'text=%00', status: 400 },
    { query: "text=%27%20%7C%20'zebra", status: 200 },
    { query: 'text=%26!()%3A*', status: 400 },
    { query: 'text=%5C', status: 400 },
    { query: 'phase=%00', status: 400 },
    { query: 'label=a%00', status: 400 },
    { query: 'repository=a%00', status: 400 },
    { query: 'repository=', status: 400 },
    { query: `repository=${'a'.repeat(254)}`, status: 400 },
    { query: 'since=yesterday', status: 400 },
    { query: 'since=0001-01-01T00:00:00Z', status: 400 },
    { query: 'until=9999-12-31T23:59:59-23:00', status: 400 },
    { query: 'limit=10001', status: 400 },
    { query: 'source=else', status: 400 },
  ])('gets $status for $query, and the archive stays available', async ({ query, status }) => {
    const reply = await api.ask(`/v1/runs?${query}`, { token: red })
    expect(reply.status).toBe(status)
    expect(reply.text).not.toContain('unavailable')
    expect(reply.text).not.toContain('plan')
  })

  test('gets no run that it may not get in the cluster, found or not', async () => {
    const refused = await api.ask('/v1/runs/blue/plan', { token: red })
    expect(refused.status).toBe(403)
    const absent = await api.ask('/v1/runs/blue/nope', { token: red })
    expect(refused.text.replaceAll('plan', 'nope')).toBe(absent.text)
    expect((await api.ask('/v1/runs/red/newest', { token: nobody })).status).toBe(403)
    expect((await api.ask('/v1/runs/red/newest', { token: tools })).status).toBe(403)
    expect((await api.ask('/v1/runs/red/named', { token: tools })).status).toBe(200)
  })
})

test('a run in the archive is found with the same words as in the cluster', async () => {
  const text = `Ünïcode Ärger, "quotes" under_score C++ 3.14 a'b \\ ${'x'.repeat(300)} 日本語 ${'🐄 '.repeat(3)}`
  await archive('words', 'words', { day: '2026-01-01', text })
  const { search } = await db
    .selectFrom('run_archive')
    .select('search')
    .where('name', '=', 'words')
    .executeTakeFirstOrThrow()
  const { searchedText, wordsOf } = await import('../api/run-words.ts')
  const { object } = await db
    .selectFrom('run_archive')
    .select('object')
    .where('name', '=', 'words')
    .executeTakeFirstOrThrow()
  const stored = [...search.matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) => word)
  expect(new Set(stored)).toEqual(wordsOf(searchedText(object as unknown as AgentRun)))
  await db.deleteFrom('run_archive').where('namespace', '=', 'words').execute()
})

test.each([
  ['a huge text of different words', Array.from({ length: 40_000 }, (_, at) => `w${at}`).join(' ')],
  ['one huge word', '🐄'.repeat(200_000)],
])('%s can be archived', async (_, text) => {
  await archive('huge', 'huge', { day: '2026-01-01', text })
  const found = await db
    .selectFrom('run_archive')
    .select('uid')
    .where('name', '=', 'huge')
    .execute()
  expect(found).toHaveLength(1)
  await db.deleteFrom('run_archive').where('namespace', '=', 'huge').execute()
})

test('without the archive, lists say so, and show what is in the cluster', async () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  const fail = () => Promise.reject(away)
  // biome-ignore lint/correctness/useYield: it fails before its first line.
  async function* failing(): AsyncGenerator<string, void> {
    throw away
  }
  const without = await api.beside({
    archive: {
      ...{ list: fail, namespaces: fail, find: fail, usage: fail, import: fail, locate: fail },
      export: failing,
    },
  })
  try {
    const token = without.adminToken
    await expect
      .poll(async () => (await without.ask('/v1/runs', { token })).status, { timeout: 30_000 })
      .toBe(200)
    const page = await without.ask('/v1/runs', { token })
    expect(page.json).toMatchObject({ items: [{ name: 'both' }], archive: 'unavailable' })
    expect(page.json.items).toHaveLength(1)
    expect((await without.ask('/v1/runs?source=archive', { token })).status).toBe(503)
    expect((await without.ask('/v1/runs/red/nope', { token })).status).toBe(503)
    expect((await without.ask(`/v1/runs/${randomUUID()}`, { token })).status).toBe(503)
    expect((await without.ask('/v1/archive', { token })).status).toBe(503)
    expect((await without.ask('/v1/usage', { token })).status).toBe(503)
  } finally {
    await without.stop()
  }
})

async function names(query: string, token: string): Promise<string[]> {
  const { json, status, text } = await api.ask(`/v1/runs?${query}`, { token })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return json.items.map(({ name }: { name: string }) => name)
}

interface Archived {
  readonly day: string
  readonly createdAt?: string | undefined
  readonly uid?: string | undefined
  readonly kind?: ArchivedKind
  readonly agent?: string
  readonly phase?: string
  readonly text?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly repository?: string
}

async function archive(namespace: string, name: string, given: Archived): Promise<void> {
  const { day, kind = 'AgentRun', agent = 'writer', phase = 'Succeeded', text, labels } = given
  const { repository } = given
  const { createdAt = `${day}T12:00:00Z`, uid = randomUUID() } = given
  const run = {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind },
    metadata: {
      ...{ namespace, name, uid, creationTimestamp: createdAt, resourceVersion: '1' },
      ...(labels && { labels }),
    },
    spec: {
      ...(kind === 'ToolRun' ? { toolRef: { name: agent } } : { agentRef: { name: agent } }),
      ...(text !== undefined && { implementation: { inline: { text } } }),
    },
    status: {
      ...{ phase, startedAt: createdAt, finishedAt: createdAt },
      ...(repository !== undefined && { vcs: { repository } }),
      conditions: ['Finished', 'Succeeded'].map((type) => ({
        ...{ type, status: 'True', reason: phase, message: 'it ended' },
      })),
    },
  }
  await archiveRun(db, run as unknown as AgentRun, kind)
}
