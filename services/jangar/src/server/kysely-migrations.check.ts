import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from './database-schema.ts'
import { openDatabase } from './db.ts'
import { appliedMigrations, ForeignMigrations, migrate } from './kysely-migrations.ts'
import { migrations } from './migrations/registry.ts'

let directory: string
let postgres: LocalPostgres
let databases = 0
const log = silentLogger

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-migrations-'))
  postgres = await startPostgres({ directory, log })
}, 240_000)

afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

const names = Object.keys(migrations)
const tables = [
  ...['audit_events', 'audit_head', 'browser_sessions', 'run_archive', 'usage_ledger'],
  'webhook_inbox',
]

describe('migrations', () => {
  test('create the whole schema in an empty database, once', async () => {
    const db = await emptyDatabase()
    expect(await appliedMigrations(db)).toEqual([])
    expect(await migrate(db, log)).toEqual({ applied: names, newer: [] })
    expect(await migrate(db, log)).toEqual({ applied: [], newer: [] })
    expect(await tablesOf(db)).toEqual(tables)
  })

  test('drop the tables that nothing reads, keep the archive, and can be undone', async () => {
    const db = await emptyDatabase()
    await migrate(db, log, { migrations: migrationsBefore('0006-drop-unused-tables') })
    const schema = await schemaOf(db)
    expect(new Set(schema.map(({ table }) => table)).size).toBe(5)
    await sql`insert into run_archive values
      (gen_random_uuid(), 'team', 'kept', 'coder', 'Succeeded', 'Succeeded', now(), now(), now(), 1, '{}')`.execute(
      db,
    )
    await sql`insert into usage_ledger values
      (gen_random_uuid(), 'team', 'coder', null, 1, 1, 2, '0.02', now())`.execute(db)

    expect((await migrate(db, log)).applied).toContain('0006-drop-unused-tables')
    expect(await tablesOf(db)).toEqual([
      ...['audit_events', 'audit_head', 'browser_sessions', 'run_archive'],
      expect.stringMatching(/^run_archive_\d{6}$/),
      'usage_ledger',
      'webhook_inbox',
    ])
    expect(await db.selectFrom('run_archive').select('name').execute()).toEqual([{ name: 'kept' }])

    const provider = { getMigrations: async () => migrations }
    const { error } = await new Migrator({ db, provider }).migrateTo('0005-webhook-inbox')
    expect(error).toBeUndefined()
    expect(await schemaOf(db)).toEqual(schema)
  })

  test('tolerate that an unused table was dropped before', async () => {
    const db = await emptyDatabase()
    await migrate(db, log, { migrations: migrationsBefore('0006-drop-unused-tables') })
    await sql`drop table audit_events`.execute(db)
    await migrate(db, log)
    expect(await tablesOf(db)).toEqual(tables)
  })

  test.each(names.map((name, index) => ({ name, index })))(
    'continue from $name',
    async ({ index }) => {
      const db = await emptyDatabase()
      const first = Object.fromEntries(Object.entries(migrations).slice(0, index + 1))
      await migrate(db, log, { migrations: first })
      expect(await migrate(db, log)).toEqual({ applied: names.slice(index + 1), newer: [] })
    },
  )

  test('are applied by one of several replicas that start at once', async () => {
    const url = await emptyUrl()
    const all = await Promise.all(
      Array.from({ length: 5 }, async () => migrate(await open(url), log)),
    )
    expect(all.flatMap(({ applied }) => applied)).toEqual(names)
  })

  test('are kept up to the one that fails, which is rolled back', async () => {
    const db = await emptyDatabase()
    const breaking = {
      ...migrations,
      '9999-breaks': {
        up: async (inside: Kysely<Database>) => {
          await sql`create table half_way (n int)`.execute(inside)
          throw new Error('the power went')
        },
      },
    }
    await expect(migrate(db, log, { migrations: breaking })).rejects.toThrow('the power went')
    expect(await tablesOf(db)).toEqual(tables)
    expect(await migrate(db, log)).toEqual({ applied: [], newer: [] })
  })

  test('are kept up to the one in which the connection breaks, which is rolled back', async () => {
    const url = await emptyUrl()
    const db = await open(url)
    const cut = {
      ...migrations,
      '9999-cut': {
        up: async (inside: Kysely<Database>) => {
          await sql`create table half_way (n int)`.execute(inside)
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(inside)
        },
      },
    }
    await expect(migrate(db, log, { migrations: cut })).rejects.toThrow()
    const after = await open(url)
    expect(await tablesOf(after)).toEqual(tables)
    expect(await migrate(after, log)).toEqual({ applied: [], newer: [] })
  })

  test('keep a newer schema, which older code can use', async () => {
    const db = await emptyDatabase()
    const newer = { ...migrations, '9999-newer': { up: async () => undefined } }
    await migrate(db, log, { migrations: newer })
    expect(await migrate(db, log)).toEqual({ applied: [], newer: ['9999-newer'] })
    expect(await appliedMigrations(db)).toEqual([...names, '9999-newer'])
  })

  test('refuse the database of another application', async () => {
    const db = await emptyDatabase()
    await migrate(db, log, { migrations: { '0000-something-else': { up: async () => undefined } } })
    await expect(migrate(db, log)).rejects.toThrow(ForeignMigrations)
    expect(await tablesOf(db)).not.toContain('run_archive')
  })
})

async function emptyUrl(): Promise<string> {
  databases += 1
  const name = `test_${databases}`
  const admin = await open(postgres.url)
  await sql`create database ${sql.id(name)}`.execute(admin)
  return postgres.url.replace(/\/agents$/, `/${name}`)
}

async function open(url: string): Promise<Kysely<Database>> {
  const db = await openDatabase({ url, sslMode: 'disable', sslRootCert: undefined }, log)
  onTestFinished(() => db.destroy())
  return db
}

async function emptyDatabase(): Promise<Kysely<Database>> {
  return open(await emptyUrl())
}

function migrationsBefore(name: string) {
  return Object.fromEntries(Object.entries(migrations).filter(([other]) => other < name))
}

/** Columns, constraints and indexes of the tables that migrations create. */
async function schemaOf(db: Kysely<Database>): Promise<{ table: string; part: string }[]> {
  const { rows } = await sql<{ table: string; part: string }>`
    select table_name as table, concat_ws(' ', ordinal_position, column_name, data_type, is_nullable, column_default,
      identity_generation) as part from information_schema.columns where table_schema = 'public'
    union all
    select relname, conname || ' ' || pg_get_constraintdef(pg_constraint.oid) from pg_constraint
      join pg_class on pg_class.oid = conrelid where relnamespace = 'public'::regnamespace
    union all
    select tablename, indexdef from pg_indexes where schemaname = 'public'
    order by 1, 2`.execute(db)
  return rows.filter(({ table }) => !table.startsWith('kysely_'))
}

async function tablesOf(db: Kysely<Database>): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name)
}
