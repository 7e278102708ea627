import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The repository of an archived run, as `api/run-repository.ts` compares it: the index has exactly this expression. */
export const archivedRepository = sql.raw(
  `lower(left(object #>> '{status,vcs,repository}', 400) collate "C")`,
)

/** Finds the runs of a repository, in all namespaces and in one. Later partitions copy the indexes. */
export const runArchiveByRepository: Migration = {
  up: async (db) => {
    for (const name of ['run_archive', ...(await partitions(db))]) {
      await sql`create index ${sql.ref(`${name}_by_repository`)}
        on ${sql.table(name)} ((${archivedRepository}), created_at desc, uid)`.execute(db)
      await sql`create index ${sql.ref(`${name}_by_namespace_and_repository`)}
        on ${sql.table(name)} (namespace, (${archivedRepository}), created_at desc, uid)`.execute(
        db,
      )
    }
    // PostgreSQL knows how frequent values of an expression are only after it has looked.
    await sql`analyze run_archive`.execute(db)
  },
  down: async (db) => {
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      where (indrelid = 'run_archive'::regclass
          or indrelid in (select inhrelid from pg_inherits where inhparent = 'run_archive'::regclass))
        and pg_get_indexdef(indexrelid) like '%{status,vcs,repository}%'`.execute(db)
    for (const { name } of rows) await sql.raw(`drop index ${name}`).execute(db)
  },
}

async function partitions(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass order by relname`.execute(db)
  return rows.map(({ name }) => name)
}
