import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Each entry has a hash over itself and the one before. The head is locked by who appends, and shows a cut-off end. */
export const auditChain: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('audit_events')
      .addColumn('seq', 'bigint', (column) => column.primaryKey())
      .addColumn('at', sql`timestamptz(3)`, (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('namespace', 'text')
      .addColumn('name', 'text')
      .addColumn('outcome', 'text', (column) => column.notNull())
      .addColumn('code', 'integer', (column) => column.notNull())
      .addColumn('request', 'uuid', (column) => column.notNull().unique())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('audit_events_by_namespace')
      .on('audit_events')
      .columns(['namespace', 'seq'])
      .execute()
    await db.schema
      .createIndex('audit_events_by_actor')
      .on('audit_events')
      .columns(['actor', 'seq'])
      .execute()
    await db.schema
      .createTable('audit_head')
      .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .execute()
    await sql`insert into audit_head values (1, 0, '')`.execute(db)
  },
  down: async (db) => {
    for (const table of ['audit_head', 'audit_events']) await db.schema.dropTable(table).execute()
  },
}
