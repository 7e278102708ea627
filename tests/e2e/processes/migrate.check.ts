import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../../support/processes/service-process.ts'

/** Generous, because the machine may be busy. */
const patience = { timeout: 120_000 }
const log = silentLogger
let directory: string
let postgres: LocalPostgres

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-migrate-'))
  postgres = await startPostgres({ directory: join(directory, 'postgres'), log })
}, 240_000)

afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

describe('the migrate process', { timeout: 300_000 }, () => {
  test('requires a database', async () => {
    const process = migrate({})
    expect(await process.ended).toBe(78)
    expect(process.errors()).toContain('DATABASE_URL')
  })

  test('fails if the database does not answer, without logging the password', async () => {
    const process = migrate({ DATABASE_URL: 'postgres://agents:not-for-logs@127.0.0.1:1/agents' })
    expect(await process.ended).toBe(1)
    expect(process.text()).toContain('127.0.0.1:1')
    expect(process.text()).not.toContain('not-for-logs')
  })

  test('can be run again when it was killed half-way', async () => {
    const database = await emptyDatabase('killed')
    const neighbour = await connect(database)
    await neighbour.query('begin')
    // Another transaction is about to create the same table: the second migration waits for it.
    await neighbour.query('create table usage_ledger (n int)')
    const first = migrate({ DATABASE_URL: database })
    const watcher = await connect(database)
    await expect.poll(() => waitingFor(watcher, 'usage_ledger'), patience).toBe(1)
    first.child.kill('SIGKILL')
    await first.ended
    expect(await migrated(watcher)).toEqual(['0001-run-archive'])
    const second = migrate({ DATABASE_URL: database })
    await neighbour.query('rollback')
    expect([await second.ended, second.errors()]).toEqual([0, expect.not.stringContaining('error')])
    expect((await migrated(watcher)).length).toBeGreaterThan(10)
  })

  test('lets PostgreSQL finish the index that a killed one has begun, and continues then', async () => {
    const database = await emptyDatabase('indexed')
    expect(await migrate({ DATABASE_URL: database }).ended).toBe(0)
    const watcher = await connect(database)
    await watcher.query(`select run_archive_partition('2026-01-02')`)
    const complete = await indexes(watcher)
    // As the migration before has left it.
    for (const { name } of complete.filter(({ columns }) => columns.includes('{status,vcs,rep'))) {
      await watcher.query(`drop index ${name}`)
    }
    await watcher.query(`delete from kysely_migration where name like '0020-%'`)
    const neighbour = await connect(database)
    await neighbour.query('begin')
    await neighbour.query('lock table run_archive_202601 in row exclusive mode')
    const first = migrate({ DATABASE_URL: database })
    await expect.poll(() => isBuilding(watcher), patience).toBe(true)
    first.child.kill('SIGKILL')
    await first.ended
    const second = migrate({ DATABASE_URL: database })
    await second.waitForOutput('another process migrates the database')
    expect(await isBuilding(watcher)).toBe(true)
    await neighbour.query('rollback')
    expect(await second.ended).toBe(0)
    const columns = async () => (await indexes(watcher)).map((each) => each.columns)
    expect(await columns()).toEqual(complete.map((each) => each.columns))
  })
})

function migrate(environment: Readonly<Record<string, string>>) {
  return startService('services/jangar/src/main/migrate.ts', environment)
}

async function emptyDatabase(name: string): Promise<string> {
  const admin = await connect(postgres.url)
  await admin.query(`create database ${name}`)
  return postgres.url.replace(/\/agents$/, `/${name}`)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

async function waitingFor(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as waiting from pg_stat_activity
     where wait_event_type = 'Lock' and query ilike '%create table%' and query like $1`,
    [`%${table}%`],
  )
  return rows[0].waiting
}

async function migrated(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query('select name from kysely_migration order by name')
  return rows.map(({ name }) => name)
}

/** What is indexed, in order. */
async function indexes(client: pg.Client): Promise<{ name: string; columns: string }[]> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, concat_ws(' ', indrelid::regclass, indisvalid,
       substring(pg_get_indexdef(indexrelid) from ' USING .*')) as columns
     from pg_index where indrelid::regclass::text like 'run_archive%' order by 2`,
  )
  return rows
}

async function isBuilding(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_stat_progress_create_index where relid = to_regclass('run_archive_202601')`,
  )
  return rows.length > 0
}
