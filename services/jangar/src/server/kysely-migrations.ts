import { sleep, systemClock } from '@agents/controller'
import type { Logger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database-schema.ts'
import { inMigrationSession } from './migration-session.ts'
import { migrations as registry } from './migrations/registry.ts'
import { isLockFailure, shortLocks } from './migrations/short-locks.ts'
import type { PreparePorts, StagedMigration } from './migrations/staged-migration.ts'

type Migrations = Readonly<Record<string, StagedMigration>>

interface MigrateOptions {
  readonly migrations?: Migrations
  /** Aborted when the process has to end. */
  readonly signal?: AbortSignal
}

interface MigrationReport {
  /** Applied by this call, in order. */
  readonly applied: readonly string[]
  /** Applied by a newer version of the program and unknown to this one. */
  readonly newer: readonly string[]
}

/**
 * Migrates the schema to this version, in one process at a time. Each migration has a transaction of its own, so that
 * its locks end with it and a process that is killed has to repeat one at most. A newer schema, as after a rollback,
 * is kept.
 */
export async function migrate(
  db: Kysely<Database>,
  log: Logger,
  { migrations = registry, signal = new AbortController().signal }: MigrateOptions = {},
): Promise<MigrationReport> {
  const ports = { log, signal }
  return await inMigrationSession(db, ports, async (connection) => {
    const applied: string[] = []
    for (;;) {
      signal.throwIfAborted()
      const before = await appliedMigrations(connection)
      const newer = newerThan(migrations, before)
      const name = Object.keys(migrations)
        .toSorted()
        .find((each) => !before.includes(each))
      if (name === undefined) return report({ applied, newer }, log)
      try {
        await migrations[name]?.prepare?.(connection as Kysely<unknown>, ports)
        applied.push(...(await applyNext(connection, migrations, before, name)))
      } catch (error) {
        await expectProgress(connection, before, error, { ...ports, name })
      }
    }
  })
}

function newerThan(migrations: Migrations, applied: readonly string[]): string[] {
  const newer = applied.filter((name) => !(name in migrations))
  const foreign = newer.filter((name) => name < lastOf(migrations))
  if (foreign.length > 0) throw new ForeignMigrations(foreign)
  return newer
}

/**
 * Applies the migration `name` alone: Kysely sees it as the last one. Applies nothing if another process has applied it
 * meanwhile.
 */
async function applyNext(
  db: Kysely<Database>,
  migrations: Migrations,
  before: readonly string[],
  name: string,
): Promise<string[]> {
  const known = {
    ...Object.fromEntries(before.map((each) => [each, appliedMigration])),
    [name]: withShortLocks(migrations[name] ?? appliedMigration),
  }
  const provider = { getMigrations: async () => known }
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw error
  return results.map(({ migrationName }) => migrationName)
}

function withShortLocks({ up }: StagedMigration): Migration {
  return {
    up: async (transaction) => {
      await shortLocks(transaction)
      await up(transaction)
    },
  }
}

/** Throws the error unless it is worth to try again. */
async function expectProgress(
  db: Kysely<Database>,
  before: readonly string[],
  error: unknown,
  { log, signal, name }: PreparePorts & { readonly name: string },
): Promise<void> {
  signal.throwIfAborted()
  if (isLockFailure(error)) {
    log.warn('migration waits for others that use its tables; will be retried', {
      migration: name,
      error,
    })
    await sleep(systemClock, retryMs, signal)
    return
  }
  // A process of an earlier version, which has another lock, may have applied the same one.
  const now = await appliedMigrations(db).catch(() => before)
  if (now.length <= before.length) throw error
}

const retryMs = 3_000

/** Names in order. Empty if the database was never migrated. */
export async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const { rows: found } = await sql<{ found: string | null }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) as found`.execute(db)
  if (found[0]?.found === null) return []
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The database belongs to another application, or to another branch of this one. */
export class ForeignMigrations extends Error {
  override name = 'ForeignMigrations'

  constructor(names: readonly string[]) {
    super(
      `The database has migrations that do not belong to this program: ${names.join(', ')}. Check that DATABASE_URL is not the database of another application.`,
    )
  }
}

const appliedMigration: Migration = { up: async () => undefined }

function lastOf(migrations: Migrations): string {
  return Object.keys(migrations).toSorted().at(-1) ?? ''
}

function report({ applied, newer }: MigrationReport, log: Logger): MigrationReport {
  if (newer.length > 0) {
    log.warn('database schema is newer than this program; not changed', { newer })
  }
  log.info('database schema is up to date', { migrations: 'auto', applied })
  return { applied, newer }
}
