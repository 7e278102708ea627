import { randomUUID } from 'node:crypto'
import { startApiServer } from '@agents/apiserver'
import type { AgentRun } from '@agents/jangar-api'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { archiveRun } from '../../archive/archive-run.ts'
import { type ArchiveReader, openReader } from '../../archive/open-reader.ts'
import type { Database } from '../../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { account, startTestApi } from '../testing/test-api.ts'

const groups = ['agents.proompteng.ai', 'tools.proompteng.ai', 'orchestration.proompteng.ai']
const runs = ['agentruns', 'toolruns', 'orchestrationruns']
const read = { apiGroups: groups, resources: runs, verbs: ['get', 'list'] }
const write = {
  apiGroups: ['agents.proompteng.ai'],
  resources: ['archivedruns'],
  verbs: ['create'],
}

let database: TestDatabase
let db: Kysely<Database>
let reader: ArchiveReader
let api: Awaited<ReturnType<typeof startTestApi>>
let redReader: string
let redWriter: string

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
  reader = await openReader(database.config, silentLogger)
  api = await startTestApi(startApiServer, { archive: reader.runs })
  redReader = await account(api.admin, 'red', 'reader', [read])
  redWriter = await account(api.admin, 'red', 'writer', [write])
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await reader?.close()
  await database?.stop()
})

describe('an export', () => {
  test('moves every run to another archive, once, however often it is imported', async () => {
    const places = ['red', 'blue']
    // More than a page, and many within one second.
    const all = Array.from({ length: 1203 }, (_, at) =>
      run(`run-${at}`, places[at % 2] ?? '', `2026-0${1 + (at % 3)}-01T00:00:0${at % 4}Z`),
    )
    await Promise.all(all.map((each) => archiveRun(db, each, 'AgentRun')))
    const { text, status, headers } = await exported('', api.adminToken)
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson'])
    const objects = objectsIn(text)
    const uids = objects.map(({ metadata }) => metadata.uid)
    expect(uids).toHaveLength(all.length)
    expect(new Set(uids)).toEqual(new Set(all.map(({ metadata }) => metadata.uid)))
    const times = objects.map(({ metadata }) => metadata.creationTimestamp ?? '')
    expect(times).toEqual(times.toSorted())
    const rows = await tableRows()
    await db.deleteFrom('run_archive').execute()
    const first = await imported('', text, api.adminToken)
    expect(first.json).toEqual({ imported: 1203, known: 0 })
    const again = await imported('', text, api.adminToken)
    expect(again.json).toEqual({ imported: 0, known: 1203 })
    expect(await tableRows()).toEqual(rows)
    // What a controller archives later is newer.
    const [one] = all
    if (one === undefined) throw new Error('there is none')
    const later = { ...one, metadata: { ...one.metadata, labels: { later: 'yes' } } }
    await archiveRun(db, later, 'AgentRun')
    expect((await exported('?namespace=red', redReader)).text).toContain('"later": "yes"')
  })

  test.each([
    { query: '', because: 'the reader may list runs of one namespace', status: 403 },
    { query: '?namespace=blue', because: 'of another one', status: 403 },
    { query: '?namespace=red', because: 'of this one', status: 200 },
    { query: '?namespace=red&kind=ToolRun', because: 'of this one', status: 200 },
    { query: '?since=yesterday', because: 'that is no time', status: 400, asAdmin: true },
  ])('$query is answered with $status: $because', async ({ query, status, asAdmin }) => {
    const reply = await exported(query, asAdmin ? api.adminToken : redReader)
    expect(reply.status).toBe(status)
    if (status === 200) expect(reply.text).not.toContain('"blue"')
  })
})

describe('an import', () => {
  test.each([
    ['the right to read history is none to write it', '?namespace=red', 'reader', 403],
    ['the right in a namespace is none in the cluster', '', 'writer', 403],
    ['nor in another one', '?namespace=blue', 'writer', 403],
    ['the right in the namespace suffices', '?namespace=red', 'writer', 200],
  ] as const)('%s: %s as %s', async (_, query, who, status) => {
    const token = who === 'reader' ? redReader : redWriter
    const line = JSON.stringify(run('given', 'red', '2026-05-01T00:00:00Z'))
    expect((await imported(query, line, token)).status).toBe(status)
  })

  const good = run('bad', 'red', '2026-05-01T00:00:00Z')
  const { metadata, status } = good
  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another kind', { ...good, kind: 'Secret' }],
    ['another group', { ...good, apiVersion: 'v1' }],
    ['another namespace than it may', { ...good, metadata: { ...metadata, namespace: 'blue' } }],
    ['no uid', { ...good, metadata: { ...metadata, uid: 'x' } }],
    ['a name with SQL', { ...good, metadata: { ...metadata, name: "x'; drop table x" } }],
    ['text instead of a time', { ...good, metadata: { ...metadata, creationTimestamp: 'soon' } }],
    ['a time of no era', { ...good, status: { ...status, finishedAt: '0000-01-01T00:00:00Z' } }],
    ['a run that has not finished', { ...good, status: {} }],
    ['labels that are lists', { ...good, metadata: { ...metadata, labels: ['a'] } }],
    ['conditions that are none', { ...good, status: { ...status, conditions: [1] } }],
    ['a reference that is too long', { ...good, spec: { agentRef: { name: 'x'.repeat(4000) } } }],
    ['a spec that is a text', { ...good, spec: 'x' }],
  ])('refuses %s, and imports nothing of the request', async (_, given) => {
    const before = await tableRows()
    const whole = JSON.stringify(run('whole', 'red', '2026-05-01T00:00:00Z'))
    const bad = typeof given === 'string' ? given : JSON.stringify(given)
    const reply = await imported('?namespace=red', `${whole}\n${bad}\n`, redWriter)
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('line 2')])
    expect(await tableRows()).toEqual(before)
  })

  test('does not replace a run, and has one uid once', async () => {
    const kept = run('kept', 'red', '2026-05-01T00:00:00Z')
    await archiveRun(db, kept, 'AgentRun')
    const { uid } = kept.metadata
    // In other months, where the index of the first does not see it.
    const forged = ['2026-06-01T00:00:00Z', '2026-07-01T00:00:00Z'].map((creationTimestamp) => ({
      ...kept,
      metadata: { ...kept.metadata, name: 'forged', creationTimestamp, resourceVersion: '999999' },
    }))
    const other = run('other', 'red', '2026-05-01T00:00:00Z')
    const twice = [other, { ...other, metadata: { ...other.metadata, name: 'twice' } }]
    const lines = [...forged, ...twice].map((each) => JSON.stringify(each)).join('\n')
    const reply = await imported('?namespace=red', lines, redWriter)
    expect(reply.json).toEqual({ imported: 1, known: 3 })
    const rows = await db
      .selectFrom('run_archive')
      .select('name')
      .where('uid', '=', uid ?? '')
      .execute()
    expect(rows).toEqual([{ name: 'kept' }])
  })
})

function exported(query: string, token: string) {
  return api.ask(`/v1/archive${query}`, { token })
}

function imported(query: string, body: string, token: string) {
  const headers = { 'content-type': 'application/octet-stream' }
  return api.ask(`/v1/archive${query}`, { method: 'POST', token, body, headers })
}

function objectsIn(text: string): AgentRun[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AgentRun)
}

function tableRows() {
  return db
    .selectFrom('run_archive')
    .select([
      'uid',
      'kind',
      'namespace',
      'name',
      'agent',
      'phase',
      'created_at',
      'object',
      'summary',
    ])
    .orderBy('uid')
    .execute()
}

function run(name: string, namespace: string, at: string): AgentRun {
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name, namespace, uid: randomUUID(), creationTimestamp: at, resourceVersion: '7' },
    spec: { agentRef: { name: 'coder' } },
    status: { phase: 'Succeeded', startedAt: at, finishedAt: at, conditions: [] },
  } as unknown as AgentRun
}
