import { randomUUID } from 'node:crypto'
import { silentLogger } from '@agents/log'
import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { openDatabase } from '../db.ts'
import { appliedMigrations, migrate } from '../kysely-migrations.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { migrations } from './registry.ts'

type Db = Kysely<Database>

/** Generous, because the machine may be busy: they detect hangs. */
const whole = { timeout: 300_000 }
const patience = { timeout: 120_000 }
const log = silentLogger
const ledgerModels = '0019-usage-ledger-models'
const byRepository = '0020-run-archive-filters'
const months = ['202601', '202602', '202603']
let server: TestDatabase
let databases = 0
let wanted: Awaited<ReturnType<typeof schemaOf>>

beforeAll(async () => {
  server = await startTestDatabase({ isEmpty: true })
  await sql`create database upto_0018`.execute(server.db)
  const base = await openOther('upto_0018')
  await migrate(base, log, { migrations: upTo('0018-run-archive-by-phase') })
  for (const month of months) await fill(base, month, 1_000)
  // A database that somebody is connected to cannot be copied.
  await base.destroy()
  const migrated = await openOther(await copy())
  await migrate(migrated, log)
  wanted = await schemaOf(migrated)
  await migrated.destroy()
}, 300_000)

afterAll(() => server?.stop())

describe('an index of the archive', whole, () => {
  test('is built in each partition, which PostgreSQL then knows the values of', async () => {
    const db = await older()
    expect(await migrate(db, log)).toEqual({ applied: [ledgerModels, byRepository], newer: [] })
    const { rows } = await sql<{ index: string }>`
      select distinct tablename as index from pg_stats where tablename like '%\\_by\\_repository' order by 1`.execute(
      db,
    )
    expect(rows.map(({ index }) => index)).toEqual(
      months.map((month) => `run_archive_${month}_by_repository`),
    )
    // A later partition has the same.
    await insert(db, '2026-09')
    const { run_archive_202609: later, run_archive_202601: earlier } = await schemaOf(db)
    expect(later).toEqual(earlier)
  })

  test('does not make those wait who archive runs', async () => {
    const db = await older()
    const writer = await another(db)
    const unfinished = await hold(writer, sql`delete from run_archive_202602 where name = 'run-1'`)
    const ended = migrate(db, log)
    await expect.poll(() => isBuilding(writer, 'run_archive_202602'), patience).toBe(true)
    for (const month of ['2026-01', '2026-02', '2026-03']) await insert(writer, month)
    // The first of its month, which creates a partition.
    await insert(writer, '2026-07')
    expect(await appliedMigrations(writer)).not.toContain(byRepository)
    await unfinished.end()
    expect((await ended).applied).toEqual([ledgerModels, byRepository])
    const { run_archive_202607: _, ...others } = await schemaOf(db)
    expect(others).toEqual(wanted)
  })

  test('is built by one of several control planes that start at once', async () => {
    const db = await older()
    const planes = await Promise.all(Array.from({ length: 3 }, () => another(db)))
    const unfinished = await hold(db, sql`delete from run_archive_202602 where name = 'run-1'`)
    const all = Promise.all(planes.map((plane) => migrate(plane, log)))
    await expect.poll(() => isBuilding(db, 'run_archive_202602'), patience).toBe(true)
    // An earlier version, which waits with a lock of its own.
    const earlier = upTo('0018-run-archive-by-phase')
    const provider = { getMigrations: async () => earlier }
    const { error } = await new Migrator({ db: await another(db), provider }).migrateToLatest()
    expect(String(error)).toContain(ledgerModels)
    await unfinished.end()
    expect((await all).flatMap(({ applied }) => applied)).toEqual([ledgerModels, byRepository])
    expect(await schemaOf(db)).toEqual(wanted)
  })

  test('that a crash left unfinished is built again', async () => {
    const db = await older()
    const watcher = await another(db)
    const unfinished = await hold(watcher, sql`delete from run_archive_202602 where name = 'run-1'`)
    const crashed = migrate(db, log).catch(String)
    await expect.poll(() => isBuilding(watcher, 'run_archive_202602'), patience).toBe(true)
    await sql`select pg_terminate_backend(pid) from pg_stat_progress_create_index
      where datname = current_database()`.execute(watcher)
    expect(await crashed).toContain('terminat')
    expect(await schemaOf(watcher)).toMatchObject({
      run_archive_202602: expect.arrayContaining([expect.stringMatching(/^invalid /)]),
    })
    await unfinished.end()
    expect((await migrate(watcher, log)).applied).toEqual([byRepository])
    expect(await schemaOf(watcher)).toEqual(wanted)
  })

  test('is not built in a partition whose runs have expired meanwhile', async () => {
    const db = await older()
    const unfinished = await hold(db, sql`delete from run_archive_202601 where name = 'run-1'`)
    const ended = migrate(await another(db), log)
    await expect.poll(() => isBuilding(db, 'run_archive_202601'), patience).toBe(true)
    await sql`drop table run_archive_202603`.execute(db)
    await unfinished.end()
    expect((await ended).applied).toEqual([ledgerModels, byRepository])
  })

  test('can be removed again', async () => {
    const db = await older()
    const before = await schemaOf(db)
    await migrate(db, log)
    const provider = { getMigrations: async () => migrations }
    const { error } = await new Migrator({ db, provider }).migrateTo('0018-run-archive-by-phase')
    expect(error).toBeUndefined()
    expect(await schemaOf(db)).toEqual(before)
  })
})

describe('the migration of a database in use', whole, () => {
  test('continues wherever it was killed', async () => {
    const { run_archive_202602: _, run_archive_202603: __, ...rest } = wanted
    for (let queries = 1; ; queries += 1) {
      const db = await older()
      await sql`drop table run_archive_202602, run_archive_202603`.execute(db)
      const killed = await migrate(db.withPlugin(diesAfter(queries)), log).catch(String)
      await db.destroy()
      const next = await openOther(nameOf(db))
      await migrate(next, log)
      expect(await schemaOf(next), `after ${queries} queries`).toEqual(rest)
      await next.destroy()
      if (killed !== 'Error: killed') {
        expect(killed).toEqual({ applied: [ledgerModels, byRepository], newer: [] })
        expect(queries).toBeGreaterThan(20)
        return
      }
    }
  })

  test('does not make others wait behind it for a lock', async () => {
    const db = await older()
    const reader = await hold(db, sql`select 1 from usage_ledger`)
    const ended = migrate(await another(db), log)
    await expect.poll(() => isWaiting(db, 'alter table'), patience).toBe(true)
    // Who comes next has to wait behind the migration, until it gives up.
    await sql`select 1 from usage_ledger`.execute(db)
    await reader.end()
    expect((await ended).applied).toEqual([ledgerModels, byRepository])
  })

  test('is not ended by a limit for queries, which stays as it is for others', async () => {
    const db = await older()
    await sql`alter database ${sql.id(nameOf(db))} set statement_timeout = '1s'`.execute(server.db)
    const limited = await another(db)
    const unfinished = await hold(db, sql`delete from run_archive_202602 where name = 'run-1'`)
    const ended = migrate(limited, log)
    await expect.poll(() => isBuilding(db, 'run_archive_202602'), patience).toBe(true)
    // What begins later ends at the limit, and this goes on.
    const other = await another(db)
    await expect(sql`select pg_sleep(60)`.execute(other)).rejects.toThrow('statement timeout')
    await unfinished.end()
    expect((await ended).applied).toEqual([ledgerModels, byRepository])
    await expect(sql`select pg_sleep(9)`.execute(limited)).rejects.toThrow('statement timeout')
  })

  test('ends when the process is stopped, and continues at the next start', async () => {
    const db = await older()
    const plane = await another(db)
    const stop = new AbortController()
    const unfinished = await hold(db, sql`delete from run_archive_202602 where name = 'run-1'`)
    const stopped = migrate(plane, log, { signal: stop.signal }).catch(String)
    const waiting = migrate(await another(db), log, { signal: stop.signal }).catch(String)
    await expect.poll(() => isBuilding(db, 'run_archive_202602'), patience).toBe(true)
    stop.abort(new Error('SIGTERM'))
    expect(await Promise.all([stopped, waiting])).toEqual(['Error: SIGTERM', 'Error: SIGTERM'])
    await unfinished.end()
    expect((await migrate(plane, log)).applied).toEqual([byRepository])
    expect(await schemaOf(db)).toEqual(wanted)
  })
})

const names = new WeakMap<Db, string>()

function nameOf(db: Db): string {
  return names.get(db) ?? ''
}

async function openOther(name: string): Promise<Db> {
  const url = server.config.url.replace(/\/agents$/, `/${name}`)
  const db = await openDatabase({ ...server.config, url }, log)
  names.set(db, name)
  return db
}

/** A copy of the database that version 0018 has left. */
async function copy(): Promise<string> {
  databases += 1
  const name = `copy_${databases}`
  await sql`create database ${sql.id(name)} template upto_0018`.execute(server.db)
  return name
}

async function older(): Promise<Db> {
  const db = await openOther(await copy())
  onTestFinished(() => db.destroy())
  return db
}

/** Another process with the same database. */
async function another(db: Db): Promise<Db> {
  const second = await openOther(nameOf(db))
  onTestFinished(() => second.destroy())
  return second
}

function upTo(last: string) {
  return Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))
}

async function fill(db: Db, month: string, runs: number): Promise<void> {
  await sql`
    insert into run_archive (uid, namespace, name, agent, phase, reason, created_at, finished_at, resource_version, object)
    select gen_random_uuid(), 'team', 'run-' || i, 'coder', 'Succeeded', 'Succeeded', at, at, i,
      jsonb_build_object('status', jsonb_build_object('vcs', jsonb_build_object('repository', 'Org/r' || i % 7)))
    from generate_series(1, ${runs}::int) i, to_timestamp(${month}, 'YYYYMM') at`.execute(db)
}

async function insert(db: Db, month: string): Promise<void> {
  const at = `${month}-03T04:05:06Z`
  await sql`
    insert into run_archive (uid, namespace, name, agent, phase, reason, created_at, finished_at, resource_version, object)
    values (${randomUUID()}, 'team', 'late', 'coder', 'Failed', 'Failed', ${at}, ${at}, 1, '{}')`.execute(
    db,
  )
}

/** A transaction that stays open until its end. */
async function hold(db: Db, statement: ReturnType<typeof sql>) {
  const transaction = await db.startTransaction().execute()
  await statement.execute(transaction)
  const end = async (): Promise<void> => {
    if (!transaction.isRolledBack) await transaction.rollback().execute()
  }
  onTestFinished(end)
  return { end }
}

async function isBuilding(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_progress_create_index
    where datname = current_database() and relid = ${table}::regclass`.execute(db)
  return rows.length > 0
}

async function isWaiting(db: Db, statement: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query ilike ${`${statement}%`}`.execute(db)
  return rows.length > 0
}

/** As if the process had been killed: no query after this many reaches the server. */
function diesAfter(queries: number): KyselyPlugin {
  let seen = 0
  return {
    transformQuery: ({ node }) => {
      seen += 1
      if (seen > queries) throw new Error('killed')
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

/** Per table, its columns and indexes. */
async function schemaOf(db: Db): Promise<Record<string, readonly string[]>> {
  const { rows } = await sql<{ table: string; parts: string[] }>`
    select relname as table, array_agg(part order by part collate "C") as parts from (
      select attrelid as relation, attname || ' ' || atttypid::regtype as part from pg_attribute where attnum > 0 and not attisdropped
      union all
      select indrelid, case when indisvalid then '' else 'invalid ' end
        || regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', 'USING') from pg_index) as each
    join pg_class on pg_class.oid = relation
    where relnamespace = 'public'::regnamespace and relkind = 'r' group by 1 order by 1`.execute(db)
  return Object.fromEntries(rows.map(({ table, parts }) => [table, parts]))
}
