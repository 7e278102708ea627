import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What runs have used, kept after they are deleted from the cluster. A source writes a row again with a greater
 * sequence when it knows more; the rows of several sources about one run are never added up.
 */
export const usageLedgerBySource: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('usage_ledger')
      .addColumn('run_uid', 'uuid', (column) => column.notNull())
      .addColumn('attempt', 'integer', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('sequence', 'bigint', (column) => column.notNull())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('run', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('budget', 'text')
      .addColumn('labels', 'jsonb', (column) => column.notNull())
      .addColumn('total_tokens', 'bigint', (column) => column.notNull())
      .addColumn('micro_dollars', 'bigint', (column) => column.notNull())
      .addColumn('unpriced_tokens', 'bigint', (column) => column.notNull())
      .addColumn('used_at', 'timestamptz', (column) => column.notNull())
      .addColumn('recorded_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addPrimaryKeyConstraint('usage_ledger_key', ['run_uid', 'attempt', 'source'])
      .execute()
    await db.schema
      .createIndex('usage_ledger_by_time')
      .on('usage_ledger')
      .columns(['namespace', 'used_at'])
      .execute()
  },
  down: async (db) => {
    await db.schema.dropTable('usage_ledger').ifExists().execute()
  },
}
