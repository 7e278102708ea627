import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const webhookInbox: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('webhook_inbox')
      .addColumn('id', 'bigint', (column) => column.primaryKey().generatedAlwaysAsIdentity())
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('delivery_id', 'text', (column) => column.notNull())
      .addColumn('payload', 'jsonb', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull().defaultTo('waiting'))
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_attempt_at', 'timestamptz', (column) =>
        column.notNull().defaultTo(sql`now()`),
      )
      .addColumn('error', 'text')
      .addColumn('received_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addUniqueConstraint('webhook_inbox_delivery', ['provider', 'delivery_id'])
      .addCheckConstraint('webhook_inbox_state', sql`state in ('waiting', 'done', 'failed')`)
      .execute()
    await db.schema
      .createIndex('webhook_inbox_due')
      .on('webhook_inbox')
      .column('next_attempt_at')
      .where(sql.ref('state'), '=', sql.lit('waiting'))
      .execute()
  },
}
