import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const runArchive: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('run_archive')
      .addColumn('uid', 'uuid', (column) => column.primaryKey())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('phase', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull())
      .addColumn('started_at', 'timestamptz')
      .addColumn('finished_at', 'timestamptz', (column) => column.notNull())
      .addColumn('resource_version', 'bigint', (column) => column.notNull())
      .addColumn('object', 'jsonb', (column) => column.notNull())
      .addColumn('archived_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .execute()
    await db.schema
      .createIndex('run_archive_by_namespace')
      .on('run_archive')
      .columns(['namespace', 'finished_at'])
      .execute()
    await db.schema
      .createIndex('run_archive_by_agent')
      .on('run_archive')
      .columns(['namespace', 'agent', 'finished_at'])
      .execute()
  },
}
