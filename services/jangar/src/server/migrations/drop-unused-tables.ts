import type { Migration } from 'kysely/migration'
import { auditEvents } from './audit-events.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { usageLedger } from './usage-ledger.ts'
import { webhookInbox } from './webhook-inbox.ts'

/**
 * Drops tables that no program reads. Only usage_ledger was ever written, and everything in it is also in
 * run_archive.object.
 */
export const dropUnusedTables: Migration = {
  up: async (db) => {
    for (const table of ['webhook_inbox', 'idempotency_keys', 'audit_events', 'usage_ledger']) {
      await db.schema.dropTable(table).ifExists().execute()
    }
  },
  down: async (db) => {
    for (const { up } of [usageLedger, auditEvents, idempotencyKeys, webhookInbox]) await up(db)
  },
}
