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

export type Migrations = Readonly<Record<string, Migration>>

export interface MigrationReport {
  /** Applied by this call, in order. */
  readonly applied: readonly string[]
  /** There already, and unknown to this version of the program: a newer one was here before. */
  readonly newer: readonly string[]
}

/**
 * Brings the schema up to this version, all of it or nothing: the steps are one transaction, under an advisory lock that makes
 * other replicas wait. A schema that is newer, as after a rollback, is left as it is.
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
    const known = { ...migrations, ...Object.fromEntries(newer.map((name) => [name, isThere])) }
    const provider = { getMigrations: async () => known }
    const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
    if (error === undefined) return report(results, newer, log)
    // Between our look and our turn a newer replica may have migrated: then we look again.
    const now = (await appliedMigrations(db)).filter((name) => !(name in known))
    if (now.length === 0) throw error
  }
}

/** Names in the order in which they were applied; none where nobody ever migrated. */
export async function appliedMigrations(db: Kysely<Database>): Promise<string[]> {
  const { rows: found } = await sql<{ found: string | null }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) as found`.execute(db)
  if (found[0]?.found === null) return []
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** The database belongs to another program, or to another line of this one. */
export class ForeignMigrations extends Error {
  override name = 'ForeignMigrations'

  constructor(names: readonly string[]) {
    super(
      `The database has migrations that are not part of this program: ${names.join(', ')}. Is DATABASE_URL that of another application?`,
    )
  }
}

const isThere: Migration = { up: async () => undefined }

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
    log.warn('the database is newer than this program; its schema is left as it is', { newer })
  }
  log.info('database schema is up to date', { migrations: 'auto', applied })
  return { applied, newer }
}
