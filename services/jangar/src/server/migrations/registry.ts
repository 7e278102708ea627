import type { Migration } from 'kysely/migration'
import { auditEvents } from './audit-events.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { runArchive } from './run-archive.ts'
import { usageLedger } from './usage-ledger.ts'
import { webhookInbox } from './webhook-inbox.ts'

/**
 * In the order of their names, each applied once. Migrations only add (expand); what an older version of the program still
 * reads is taken away (contract) no earlier than one release after nothing reads it, so that a rollback meets a schema it knows.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-run-archive': runArchive,
  '0002-usage-ledger': usageLedger,
  '0003-audit-events': auditEvents,
  '0004-idempotency-keys': idempotencyKeys,
  '0005-webhook-inbox': webhookInbox,
}
