import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Deliveries of webhooks. The table of migration 0005 had the same name, was never used, and is dropped by 0006. */
export const inbox: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('webhook_inbox')
      .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
      .addColumn('source_uid', 'uuid', (column) => column.notNull())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('delivery_id', 'text')
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('digest', 'bytea', (column) => column.notNull())
      .addColumn('payload', 'bytea')
      .addColumn('size', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull().defaultTo('waiting'))
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`now()`),
      )
      .addColumn('error', 'text')
      .addColumn('received_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('processed_at', 'timestamptz')
      .addUniqueConstraint('webhook_inbox_content', ['source_uid', 'digest'])
      .addCheckConstraint('webhook_inbox_state', sql`state in ('waiting', 'done', 'dead')`)
      .execute()
    await db.schema
      .createIndex('webhook_inbox_waiting')
      .on('webhook_inbox')
      .columns(['source_uid', 'subject', 'id'])
      .where(sql.ref('state'), '=', sql.lit('waiting'))
      .execute()
    await db.schema
      .createIndex('webhook_inbox_by_time')
      .on('webhook_inbox')
      .column('received_at')
      .execute()
  },
  down: async (db) => {
    await db.schema.dropTable('webhook_inbox').execute()
  },
}
