import { type Kysely, sql } from 'kysely'
import type { ExportQuestion } from '../api/archived-runs.ts'
import type { Database } from '../database-schema.ts'

interface ExportedRow {
  /** As PostgreSQL writes JSON: on one line. */
  readonly line: string
  readonly uid: string
  /** Whole seconds. */
  readonly at: number
}

const rowsAtOnce = 500

/**
 * The objects of archived runs as lines of JSON, from the oldest to the newest. What is archived meanwhile is included
 * if it is newer than what was sent.
 */
export async function* exportRuns(
  db: Kysely<Database>,
  { kinds, namespace, since, until }: ExportQuestion,
): AsyncGenerator<string, void> {
  const conditions = [
    sql`kind = any(${kinds}::text[])`,
    ...(namespace === undefined ? [] : [sql`namespace = ${namespace}`]),
    ...(since === undefined ? [] : [sql`created_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`created_at < ${until}::timestamptz`]),
  ]
  let last: ExportedRow | undefined
  for (;;) {
    const after: ExportedRow | undefined = last
    const rest =
      after === undefined
        ? []
        : // Within a second, lists have the order of uids reversed, and the index with them.
          [
            sql`created_at >= to_timestamp(${after.at})`,
            sql`(created_at > to_timestamp(${after.at}) or uid < ${after.uid}::uuid)`,
          ]
    const { rows } = await sql<ExportedRow>`
      select object::text as line, uid, extract(epoch from created_at)::float8 as at from run_archive
      where ${sql.join([...conditions, ...rest], sql` and `)}
      order by created_at, uid desc limit ${rowsAtOnce}`.execute(db)
    if (rows.length > 0) yield `${rows.map(({ line }) => line).join('\n')}\n`
    if (rows.length < rowsAtOnce) return
    last = rows.at(-1)
  }
}
