import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** For runs of tools and orchestrations. What earlier versions have written, and still write, are AgentRuns. */
export const runArchiveKinds: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('run_archive')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('AgentRun'))
      .addColumn('tool', 'text')
      .addColumn('orchestration', 'text')
      .alterColumn('agent', (column) => column.dropNotNull())
      .execute()
  },
  down: async (db) => {
    await sql`update run_archive set agent = '' where agent is null`.execute(db)
    await db.schema
      .alterTable('run_archive')
      .dropColumn('kind')
      .dropColumn('tool')
      .dropColumn('orchestration')
      .alterColumn('agent', (column) => column.setNotNull())
      .execute()
  },
}
