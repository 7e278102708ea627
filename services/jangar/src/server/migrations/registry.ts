import { auditChain } from './audit-chain.ts'
import { auditEvents } from './audit-events.ts'
import { browserSessions } from './browser-sessions.ts'
import { dropUnusedTables } from './drop-unused-tables.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { inbox } from './inbox.ts'
import { runArchive } from './run-archive.ts'
import { runArchiveByPhase } from './run-archive-by-phase.ts'
import { runArchiveFilters } from './run-archive-filters.ts'
import { runArchiveKinds } from './run-archive-kinds.ts'
import { runArchiveSearch } from './run-archive-search.ts'
import type { StagedMigration } from './staged-migration.ts'
import { usageLedger } from './usage-ledger.ts'
import { usageLedgerBySource } from './usage-ledger-by-source.ts'
import { usageLedgerModels } from './usage-ledger-models.ts'
import { webhookInbox } from './webhook-inbox.ts'

/**
 * Applied once each, in the order of their names, each in a transaction; what a migration that was applied anywhere
 * leads to never changes. Migrations add to the schema (expand). What a released version still uses is removed
 * (contract) no earlier than one release after the first version that no longer uses it, so that a rollback finds a
 * schema that it supports. A table is added with the program that reads it.
 */
export const migrations: Readonly<Record<string, StagedMigration>> = {
  '0001-run-archive': runArchive,
  '0002-usage-ledger': usageLedger,
  '0003-audit-events': auditEvents,
  '0004-idempotency-keys': idempotencyKeys,
  '0005-webhook-inbox': webhookInbox,
  '0006-drop-unused-tables': dropUnusedTables,
  '0007-run-archive-kinds': runArchiveKinds,
  '0008-run-archive-search': runArchiveSearch,
  '0010-usage-ledger': usageLedgerBySource,
  '0011-inbox': inbox,
  '0013-audit-chain': auditChain,
  '0016-browser-sessions': browserSessions,
  '0018-run-archive-by-phase': runArchiveByPhase,
  '0019-usage-ledger-models': usageLedgerModels,
  '0020-run-archive-filters': runArchiveFilters,
}
