import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Finds the runs of a phase in a namespace, which is what a tenant asks for. With the indexes of one column each,
 * PostgreSQL reads every run of the namespace to find that none has failed. Later partitions copy the index.
 */
export const runArchiveByPhase: Migration = {
  up: async (db) => {
    await sql`create index run_archive_by_namespace_and_phase
      on run_archive (namespace, phase, created_at desc, uid)`.execute(db)
    for (const name of await partitions(db)) {
      await sql`create index ${sql.ref(`${name}_by_namespace_and_phase`)}
        on ${sql.table(name)} (namespace, phase, created_at desc, uid)`.execute(db)
    }
  },
  down: async (db) => {
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      where (indrelid = 'run_archive'::regclass
          or indrelid in (select inhrelid from pg_inherits where inhparent = 'run_archive'::regclass))
        and pg_get_indexdef(indexrelid) like '%(namespace, phase, created_at DESC, uid)'`.execute(
      db,
    )
    for (const { name } of rows) await sql.raw(`drop index ${name}`).execute(db)
  },
}

async function partitions(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass order by relname`.execute(db)
  return rows.map(({ name }) => name)
}
