import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { createLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from './database-schema.ts'
import { openDatabase } from './db.ts'
import { appliedMigrations, ForeignMigrations, migrate } from './kysely-migrations.ts'
import { migrations } from './migrations/registry.ts'

let directory: string
let postgres: LocalPostgres
let databases = 0
const log = createLogger({ sink: { write: () => undefined }, level: 'error' })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-migrations-'))
  postgres = await startPostgres({ directory, log })
}, 240_000)

afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

const names = Object.keys(migrations)

describe('migrations', () => {
  test('bring an empty database to the whole schema, once', async () => {
    const db = await emptyDatabase()
    expect(await appliedMigrations(db)).toEqual([])
    expect(await migrate(db, log)).toEqual({ applied: names, newer: [] })
    expect(await migrate(db, log)).toEqual({ applied: [], newer: [] })
    expect(await tablesOf(db)).toEqual(
      expect.arrayContaining([
        'audit_events',
        'idempotency_keys',
        'run_archive',
        'usage_ledger',
        'webhook_inbox',
      ]),
    )
  })

  test.each(names.map((name, index) => ({ name, index })))(
    'go on from $name',
    async ({ index }) => {
      const db = await emptyDatabase()
      await migrate(db, log, Object.fromEntries(Object.entries(migrations).slice(0, index + 1)))
      expect(await migrate(db, log)).toEqual({ applied: names.slice(index + 1), newer: [] })
    },
  )

  test('are applied by one of several that start at once; the others find them done', async () => {
    const url = await emptyUrl()
    const all = await Promise.all(
      Array.from({ length: 5 }, async () => migrate(await open(url), log)),
    )
    expect(all.flatMap(({ applied }) => applied)).toEqual(names)
  })

  test('leave nothing behind when one of them fails half-way', async () => {
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
    await expect(migrate(db, log, breaking)).rejects.toThrow('the power went')
    expect(await tablesOf(db)).not.toContain('half_way')
    expect(await tablesOf(db)).not.toContain('run_archive')
    expect((await migrate(db, log)).applied).toEqual(names)
  })

  test('leave nothing behind when the connection is cut half-way', async () => {
    const url = await emptyUrl()
    const db = await open(url)
    const cut = {
      ...migrations,
      '9999-cut': {
        up: async (inside: Kysely<Database>) => {
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(inside)
        },
      },
    }
    await expect(migrate(db, log, cut)).rejects.toThrow()
    const after = await open(url)
    expect(await tablesOf(after)).not.toContain('run_archive')
    expect((await migrate(after, log)).applied).toEqual(names)
  })

  test('leave a newer schema as it is, and older code goes on with it', async () => {
    const db = await emptyDatabase()
    const newer = { ...migrations, '9999-newer': { up: async () => undefined } }
    await migrate(db, log, newer)
    expect(await migrate(db, log)).toEqual({ applied: [], newer: ['9999-newer'] })
    expect(await appliedMigrations(db)).toEqual([...names, '9999-newer'])
  })

  test('keep away from the database of another program', async () => {
    const db = await emptyDatabase()
    await migrate(db, log, { '0000-something-else': { up: async () => undefined } })
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

async function tablesOf(db: Kysely<Database>): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name)
}
