import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Stamp = ColumnType<Date, Date | string, Date | string>
type StampOrNull = ColumnType<Date | null, Date | string | null, Date | string | null>
/** PostgreSQL's bigint, which is larger than a number. */
type Large = ColumnType<string, bigint | number | string, bigint | number | string>
type Json = JSONColumnType<Record<string, unknown>, string, string>

/** What the cluster forgets: runs that have ended, as they were when they were last seen. */
export interface RunArchiveTable {
  uid: string
  namespace: string
  name: string
  agent: string
  phase: string
  reason: string
  created_at: Stamp
  started_at: StampOrNull
  finished_at: Stamp
  /** Newer objects replace older ones, never the other way round. */
  resource_version: Large
  object: Json
  archived_at: Generated<Date>
}

/** What runs have used, one line for each. */
export interface UsageLedgerTable {
  run_uid: string
  namespace: string
  agent: string
  budget: string | null
  input_tokens: Large
  output_tokens: Large
  total_tokens: Large
  /** A decimal number: sums of money are exact. */
  dollars: ColumnType<string, string, string>
  recorded_at: Stamp
}

/** Who did what, when; rows are only ever added. */
export interface AuditEventTable {
  id: Generated<string>
  at: Generated<Date>
  actor: string
  action: string
  kind: string
  namespace: string | null
  name: string
  uid: string | null
  detail: Json
}

/** Requests that were answered, so that a repetition gets the same answer. */
export interface IdempotencyKeyTable {
  scope: string
  key: string
  /** Of the request; another request under the same key is a mistake. */
  digest: string
  answer: Json
  created_at: Generated<Date>
  expires_at: Stamp
}

/** Deliveries that were taken in, whether or not they have been worked on. */
export interface WebhookInboxTable {
  id: Generated<string>
  provider: string
  delivery_id: string
  payload: Json
  state: Generated<'waiting' | 'done' | 'failed'>
  attempts: Generated<number>
  next_attempt_at: Generated<Date>
  error: string | null
  received_at: Generated<Date>
}

export interface Database {
  run_archive: RunArchiveTable
  usage_ledger: UsageLedgerTable
  audit_events: AuditEventTable
  idempotency_keys: IdempotencyKeyTable
  webhook_inbox: WebhookInboxTable
}
