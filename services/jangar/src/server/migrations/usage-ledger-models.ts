import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * What each model has used, in the row of its run: a version that does not know the column keeps writing rows, and a
 * row that is written again replaces all its parts at once. Earlier rows have none, so their models are unknown.
 */
export const usageLedgerModels: Migration = {
  up: async (db) => {
    await db.schema
      .alterTable('usage_ledger')
      .addColumn('models', 'jsonb', (column) => column.notNull().defaultTo(sql`'[]'::jsonb`))
      .execute()
  },
  down: async (db) => {
    await db.schema.alterTable('usage_ledger').dropColumn('models').execute()
  },
}
