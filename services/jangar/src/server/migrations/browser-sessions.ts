import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Sessions of people who signed in at an OpenID provider. The secrets of a session are stored as digests only. */
export const browserSessions: Migration = {
  up: async (db) => {
    await db.schema
      .createTable('browser_sessions')
      .addColumn('id', 'bytea', (column) => column.primaryKey())
      .addColumn('proof', 'bytea', (column) => column.notNull())
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('groups', sql`text[]`, (column) => column.notNull())
      .addColumn('opened_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('used_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
      .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex('browser_sessions_by_username')
      .on('browser_sessions')
      .column('username')
      .execute()
  },
  down: async (db) => {
    await db.schema.dropTable('browser_sessions').execute()
  },
}
