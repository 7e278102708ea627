import type { Logger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import {
  DEFAULT_MIGRATION_TABLE,
  type Migration,
  type MigrationResult,
  Migrator,
} from 'kysely/migration'
import type { Database } from './database-schema.ts'
import { migrations as registry } from './migrations/registry.ts'

type Migrations = Readonly<Record<string, Migration>>

interface MigrationReport {
  /** Applied by this call, in order. */
  readonly applied: readonly string[]
  /** Applied by a newer version of the program and unknown to this one. */
  readonly newer: readonly string[]
}

/**
 * Migrates the schema to this version, all or nothing: in one transaction, under an advisory lock that makes other
 * replicas wait. A newer schema, as after a rollback, is kept.
 */
export async function migrate(
  db: Kysely<Database>,
  log: Logger,
  migrations: Migrations = registry,
): Promise<MigrationReport> {
  for (;;) {
    const newer = (await appliedMigrations(db)).filter((name) => !(name in migrations))
    const foreign = newer.filter((name) => name < lastOf(migrations))
    if (foreign.length > 0) throw new ForeignMigrations(foreign)
    const known = {
      ...migrations,
      ...Object.fromEntries(newer.map((name) => [name, appliedMigration])),
    }
    const provider = { getMigrations: async () => known }
    const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
    if (error === undefined) return report(results, newer, log)
    // A newer replica may have migrated after we read the table and before we got the lock: read it again.
    const now = (await appliedMigrations(db)).filter((name) => !(name in known))
    if (now.length === 0) throw error
  }
}

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

function report(
  results: readonly MigrationResult[],
  newer: readonly string[],
  log: Logger,
): MigrationReport {
  const applied = results.map(({ migrationName }) => migrationName)
  if (newer.length > 0) {
    log.warn('database schema is newer than this program; not changed', { newer })
  }
  log.info('database schema is up to date', { migrations: 'auto', applied })
  return { applied, newer }
}
