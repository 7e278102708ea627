import { type Kysely, sql } from 'kysely'
import { shortLocks } from './short-locks.ts'
import type { PreparePorts, StagedMigration } from './staged-migration.ts'

interface ArchiveIndex {
  /** Follows the name of the table. */
  readonly name: string
  readonly columns: string
}

/**
 * Indexes of the archive, built while runs are written to it. Partitions are tables that inherit, which PostgreSQL
 * gives no index of run_archive; a later one copies those that run_archive has when it is created.
 */
export function archiveIndexes(indexes: readonly ArchiveIndex[]): StagedMigration {
  return {
    prepare: async (db, ports) => {
      // First, and with a lock that waits for writers: all partitions without the indexes are known afterwards.
      await indexParent(db, indexes)
      for (const partition of await archivePartitions(db)) {
        for (const index of indexes) {
          await unlessDropped(() => indexPartition(db, partition, index, ports))
        }
        ports.signal.throwIfAborted()
        // PostgreSQL knows how frequent values of an expression are only after it has looked.
        await unlessDropped(() => sql`analyze ${sql.table(partition)}`.execute(db))
      }
      await sql`analyze run_archive`.execute(db)
    },
    up: async () => undefined,
    down: async (db) => {
      for (const index of indexes) {
        for (const table of [...(await archivePartitions(db)), 'run_archive']) {
          for (const { name } of await sameIndexes(db, table, index)) {
            await sql`drop index ${sql.raw(name)}`.execute(db)
          }
        }
      }
    },
  }
}

export async function archivePartitions(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass order by relname`.execute(db)
  return rows.map(({ name }) => name)
}

/** The table itself is empty, so this takes no longer than the lock. */
async function indexParent(db: Kysely<unknown>, indexes: readonly ArchiveIndex[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await shortLocks(transaction)
    for (const { name, columns } of indexes) {
      await sql`create index if not exists ${sql.ref(`run_archive_${name}`)}
        on run_archive (${sql.raw(columns)})`.execute(transaction)
    }
  })
}

async function indexPartition(
  db: Kysely<unknown>,
  partition: string,
  index: ArchiveIndex,
  { log, signal }: PreparePorts,
): Promise<void> {
  for (const { name, isValid } of await sameIndexes(db, partition, index)) {
    if (isValid) return
    // Only who holds the lock of migrations builds it, so whoever has begun it does no longer exist.
    await sql`drop index concurrently if exists ${sql.raw(name)}`.execute(db)
  }
  signal.throwIfAborted()
  const name = `${partition}_${index.name}`
  await sql`create index concurrently ${sql.ref(name)}
    on ${sql.table(partition)} (${sql.raw(index.columns)})`.execute(db)
  log.info('index of the archive built', { index: name })
}

/** Indexes with the definition that the one of run_archive has. In a copied partition their names are others. */
async function sameIndexes(db: Kysely<unknown>, table: string, { name }: ArchiveIndex) {
  const { rows } = await sql<{ name: string; isValid: boolean }>`
    select indexrelid::regclass::text as name, indisvalid as "isValid" from pg_index
    where indrelid = to_regclass(${table}) and substring(pg_get_indexdef(indexrelid) from ' USING .*') =
      substring(pg_get_indexdef(to_regclass(${`run_archive_${name}`})) from ' USING .*')
    order by indisvalid desc`.execute(db)
  return rows
}

/** The retention of the archive may drop a partition at any time. */
async function unlessDropped(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    if (code !== '42P01') throw error
  }
}
