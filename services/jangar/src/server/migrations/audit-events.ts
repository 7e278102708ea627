import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const auditEvents: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
      .addColumn('at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('namespace', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('uid', 'uuid')
      .addColumn('detail', 'jsonb', (column) => column.notNull().defaultTo(sql`'{}'::jsonb`))
      .execute()
    await db.schema.createIndex('audit_events_by_time').on('audit_events').column('at').execute()
    await db.schema
      .createIndex('audit_events_by_object')
      .on('audit_events')
      .columns(['kind', 'namespace', 'name', 'at'])
      .execute()
  },
}
