import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'

type Stamp = ColumnType<Date, Date | string, Date | string>
type StampOrNull = ColumnType<Date | null, Date | string | null, Date | string | null>
/** PostgreSQL's bigint, which exceeds the range of number. */
type Large = ColumnType<string, bigint | number | string, bigint | number | string>
type Json = JSONColumnType<Record<string, unknown>, string, string>

/** Finished runs in their last observed state, kept after they are deleted from the cluster. */
interface RunArchiveTable {
  uid: string
  kind: string
  namespace: string
  name: string
  /** What was run, in the column of its kind. */
  agent: string | null
  tool: string | null
  orchestration: string | null
  phase: string
  reason: string
  created_at: Stamp
  started_at: StampOrNull
  finished_at: Stamp
  /** Newer objects replace older ones, never the reverse. */
  resource_version: Large
  object: Json
  archived_at: Generated<Date>
  /** Written by a trigger from the object: `key` and `key=value` of each label. */
  labels: Generated<string[]>
  /** The words that can be searched. */
  search: Generated<string>
  /** The JSON of a `RunSummary`. */
  summary: Generated<string>
}

/** Deliveries of webhooks, from their acknowledgement until long after they were processed. */
interface WebhookInboxTable {
  /** In the order of arrival. */
  id: GeneratedAlways<string>
  source_uid: string
  namespace: string
  source: string
  provider: string
  event: string
  delivery_id: string | null
  /** Deliveries about one issue are processed one after the other. */
  subject: string
  /** SHA-256 of event and payload: a delivery that comes again is recognized by it. */
  digest: Buffer
  /** Null when it was processed. */
  payload: Buffer | null
  size: number
  state: ColumnType<'waiting' | 'done' | 'dead', string | undefined, string>
  attempts: Generated<number>
  /** When the lease of the current attempt expires, or when the next attempt is due. */
  next_attempt_at: ColumnType<Date, Date | undefined, Date>
  error: string | null
  received_at: ColumnType<Date, Date | undefined, Date>
  processed_at: StampOrNull
}

/** What runs have used, kept after they are deleted from the cluster. */
interface UsageLedgerTable {
  run_uid: string
  /** 0: all attempts of the run together. */
  attempt: number
  /** Who counted it. */
  source: string
  /** A row with a greater one replaces it, never the reverse. */
  sequence: Large
  namespace: string
  run: string
  agent: string
  /** The Budget that the run names. */
  budget: string | null
  labels: Json
  total_tokens: Large
  micro_dollars: Large
  /** Tokens of models without a price. */
  unpriced_tokens: Large
  /** Parts of the three by model. The rest was used by models that are not known. */
  models: Json
  used_at: Stamp
  /** When the first row of the run was written. */
  recorded_at: Generated<Date>
}

/** Acts of callers of the HTTP API, in a chain of hashes. */
export interface AuditEventsTable {
  seq: Large
  at: Stamp
  actor: string
  action: string
  namespace: string | null
  name: string | null
  outcome: string
  code: number
  request: string
  hash: string
}

/** The end of the chain, in one row. */
interface AuditHeadTable {
  id: number
  seq: Large
  hash: string
}

/** Sessions of browsers, of people who signed in at an OpenID provider. */
interface BrowserSessionsTable {
  /** SHA-256 of the secret in the cookie. */
  id: Buffer
  /** SHA-256 of the secret in the header. */
  proof: Buffer
  username: string
  /** Without `system:authenticated`. */
  groups: string[]
  opened_at: Generated<Date>
  used_at: Generated<Date>
  expires_at: Stamp
}

export interface Database {
  browser_sessions: BrowserSessionsTable
  audit_events: AuditEventsTable
  audit_head: AuditHeadTable
  run_archive: RunArchiveTable
  webhook_inbox: WebhookInboxTable
  usage_ledger: UsageLedgerTable
}
