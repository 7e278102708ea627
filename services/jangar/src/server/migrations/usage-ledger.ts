import type { Migration } from 'kysely/migration'

export const usageLedger: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('usage_ledger')
      .addColumn('run_uid', 'uuid', (column) => column.primaryKey())
      .addColumn('namespace', 'text', (column) => column.notNull())
      .addColumn('agent', 'text', (column) => column.notNull())
      .addColumn('budget', 'text')
      .addColumn('input_tokens', 'bigint', (column) => column.notNull())
      .addColumn('output_tokens', 'bigint', (column) => column.notNull())
      .addColumn('total_tokens', 'bigint', (column) => column.notNull())
      .addColumn('dollars', 'numeric', (column) => column.notNull())
      .addColumn('recorded_at', 'timestamptz', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('usage_ledger_by_budget')
      .on('usage_ledger')
      .columns(['namespace', 'budget', 'recorded_at'])
      .execute()
  },
}
