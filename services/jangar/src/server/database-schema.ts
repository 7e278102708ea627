import type { ColumnType, Generated, JSONColumnType } from 'kysely'

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

export interface Database {
  run_archive: RunArchiveTable
}
