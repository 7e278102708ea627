import { randomUUID } from 'node:crypto'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { migrate } from '../kysely-migrations.ts'
import { migrations } from '../migrations/registry.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { timeSpans } from './time-spans.ts'

let database: TestDatabase
let db: Kysely<Database>

beforeAll(async () => {
  database = await startTestDatabase({ isEmpty: true })
  db = database.db
}, 240_000)

afterAll(() => database?.stop())

/** The statement of version 0.2.0. */
async function oldInsert(uid: string, name: string, createdAt: string, version: number) {
  await sql`
    insert into "run_archive" ("uid", "kind", "namespace", "name", "agent", "tool", "orchestration", "created_at",
      "phase", "reason", "started_at", "finished_at", "resource_version", "object")
    values (${uid}, 'AgentRun', 'team', ${name}, 'coder', null, null, ${createdAt}, 'Succeeded', 'Succeeded', null,
      ${createdAt}, ${version}, ${JSON.stringify({ metadata: { name, labels: { version: String(version) } } })})
    on conflict ("uid") do update set "phase" = 'Succeeded', "reason" = 'Succeeded', "started_at" = null,
      "finished_at" = ${createdAt}, "resource_version" = ${version}, "object" = excluded."object"
    where "run_archive"."resource_version" < "excluded"."resource_version"`.execute(db)
}

test('earlier versions keep archiving before, while and after the schema changes', async () => {
  const earlier = Object.entries(migrations).filter(([name]) => name < '0008')
  await migrate(db, silentLogger, { migrations: Object.fromEntries(earlier) })
  const uids = Array.from({ length: 60 }, () => randomUUID())
  const day = (at: number) => `2026-0${(at % 3) + 1}-03T04:05:06Z`
  const write = async (version: number) => {
    for (const [at, uid] of uids.entries()) await oldInsert(uid, `run-${at}`, day(at), version)
  }
  await write(2)
  // Two writers and the migration at a time.
  await Promise.all([write(3), migrate(db, silentLogger), write(1)])
  await Promise.all([write(5), write(4)])
  const { rows } = await sql<{ part: string; runs: number; newest: number }>`
    select tableoid::regclass::text as part, count(*)::int as runs,
      count(*) filter (where resource_version = 5 and labels = '{version,version=5}')::int as newest
    from run_archive group by 1 order by 1`.execute(db)
  const each = { runs: 20, newest: 20 }
  expect(rows).toEqual([
    { part: 'run_archive_202601', ...each },
    { part: 'run_archive_202602', ...each },
    { part: 'run_archive_202603', ...each },
  ])
  const searched = await sql`select 1 from run_archive where search @@ 'run & 7'::tsquery`.execute(
    db,
  )
  expect(searched.rows).toHaveLength(1)
})

test('partitions of before and after a migration have the same indexes', async () => {
  await oldInsert(randomUUID(), 'next', '2027-05-06T07:08:09Z', 1)
  const { rows } = await sql<{ part: string; indexes: string }>`
    select tablename as part, string_agg(indexdef, ',' order by indexdef collate "C") as indexes
    from (select tablename, regexp_replace(indexdef, '^.* USING', ' USING') as indexdef from pg_indexes
      where tablename like 'run\\_archive%') as each group by 1`.execute(db)
  const byPart = new Map(rows.map(({ part, indexes }) => [part, indexes]))
  const own = byPart.get('run_archive')
  expect(own).toContain('(namespace, phase, created_at DESC, uid)')
  expect([byPart.get('run_archive_202601'), byPart.get('run_archive_202705')]).toEqual([own, own])
})

test('several writers may be the first of a month', async () => {
  await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      oldInsert(randomUUID(), `first-${at}`, '2027-12-31T23:59:59Z', 1),
    ),
  )
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from run_archive_202712`.execute(db)
  expect(rows).toEqual([{ runs: 10 }])
})

test.each([
  { because: 'nothing is archived', months: [], spans: [] },
  { because: 'one month', months: ['202603'], spans: ['202603'] },
  {
    because: 'more months at a time, the further back',
    months: ['202603', '202602', '202601', '202512', '202511'],
    spans: ['202603', '202602', '2025-11-01–2026-02-01'],
  },
  {
    because: 'newer and older months than asked for have nothing',
    months: ['202603', '202602', '202601', '202512'],
    first: '2026-02-20T00:00:00Z',
    since: '2026-02-01T00:00:00Z',
    spans: ['202602'],
  },
])('spans of time: $because', ({ months, first, since, spans }) => {
  const day = (time: string | undefined) => time?.slice(0, 10)
  const found = timeSpans(months, first, since).map(
    ({ from, before, partition }) => partition ?? `${day(from)}–${day(before)}`,
  )
  expect(found).toEqual(spans)
})
