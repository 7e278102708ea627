import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const idempotencyKeys: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('idempotency_keys')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('answer', 'jsonb', (column) => column.notNull())
      .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_pkey', ['scope', 'key'])
      .execute()
    await db.schema
      .createIndex('idempotency_keys_by_expiry')
      .on('idempotency_keys')
      .column('expires_at')
      .execute()
  },
}
