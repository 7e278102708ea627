import { randomUUID } from 'node:crypto'
import type { AgentRun } from '@agents/jangar-api'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { archiveRun } from './archive-run.ts'
import { expireRuns } from './expire-runs.ts'

const day = 86_400_000
const { signal } = new AbortController()
let database: TestDatabase
let db: Kysely<Database>

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
}, 240_000)

afterAll(() => database?.stop())

beforeEach(async () => {
  await sql`delete from run_archive`.execute(db)
})

test('a month is dropped when all of its runs have expired, and others lose the expired ones', async () => {
  await archive('team', 'old', 200)
  await archive('other', 'old-too', 199)
  await archive('team', 'mixed', 100)
  await archive('kept', 'mixed-kept', 99)
  await archive('long', 'mixed-long', 98)
  await archive('team', 'new', 1)
  const before = await partitions()
  const retention = { keptMs: 30 * day, byNamespace: { kept: 0, long: 365 * day } }
  expect(await expireRuns(db, retention, signal)).toEqual({
    partitions: before.size - (await partitions()).size,
    runs: 3,
  })
  expect(await names()).toEqual(['mixed-kept', 'mixed-long', 'new'])
  expect((await partitions()).size).toBeLessThan(before.size)
  // It changes nothing more.
  expect(await expireRuns(db, retention, signal)).toMatchObject({ runs: 0 })
  // A run of a month that was dropped is archived all the same.
  await archive('kept', 'late', 200)
  expect(await names()).toContain('late')
})

test.each([
  { because: 'no limit is set', keptMs: 0, byNamespace: {}, left: ['a', 'b'] },
  { because: 'one namespace has a limit', keptMs: 0, byNamespace: { x: day }, left: ['b'] },
  { because: 'one namespace has none', keptMs: day, byNamespace: { x: 0 }, left: ['a'] },
])('what remains if $because', async ({ keptMs, byNamespace, left }) => {
  await archive('x', 'a', 50)
  await archive('y', 'b', 50)
  await expireRuns(db, { keptMs, byNamespace }, signal)
  expect(await names()).toEqual(left)
})

test('the time counts from the end of a run, not from its creation', async () => {
  await archive('x', 'long-lived', 100, 1)
  await expireRuns(db, { keptMs: 30 * day, byNamespace: {} }, signal)
  expect(await names()).toEqual(['long-lived'])
})

test('two processes may do it while runs are archived', async () => {
  for (let at = 0; at < 30; at += 1) await archive('x', `old-${at}`, 60 + at * 10)
  const retention = { keptMs: 30 * day, byNamespace: {} }
  const archiving = Array.from({ length: 30 }, (_, at) => archive('x', `new-${at}`, at % 20))
  const results = await Promise.allSettled([
    expireRuns(db, retention, signal),
    expireRuns(db, retention, signal),
    ...archiving,
  ])
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  await expireRuns(db, retention, signal)
  expect(await names()).toHaveLength(30)
})

async function archive(namespace: string, name: string, daysAgo: number, endedDaysAgo = daysAgo) {
  const time = (days: number) => new Date(Date.now() - days * day).toISOString()
  const run = {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name, namespace, uid: randomUUID(), creationTimestamp: time(daysAgo) },
    spec: { agentRef: { name: 'coder' } },
    status: { phase: 'Succeeded', finishedAt: time(endedDaysAgo) },
  } as unknown as AgentRun
  await archiveRun(db, run, 'AgentRun')
}

async function names(): Promise<string[]> {
  const rows = await db.selectFrom('run_archive').select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}

async function partitions(): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'run_archive'::regclass`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}
