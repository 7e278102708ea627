import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../database-schema.ts'

/** How long archived runs are kept after they have finished, in milliseconds. 0: permanently. */
export interface ArchiveRetention {
  readonly keptMs: number
  /** Instead of it, by namespace. */
  readonly byNamespace: Readonly<Record<string, number>>
}

interface Expired {
  readonly partitions: number
  readonly runs: number
}

const atOnce = 1_000
/** Writers of a partition wait for its lock, and those who wait for a long query in front of it give up instead. */
const lockMs = 2_000

/** Removes expired runs: partitions in which all have expired as a whole, others row by row. Any process may do it. */
export async function expireRuns(
  db: Kysely<Database>,
  retention: ArchiveRetention,
  signal: AbortSignal,
): Promise<Expired> {
  const expired = { partitions: 0, runs: 0 }
  if (shortestMs(retention) === undefined) return expired
  for (const partition of await oldPartitions(db, retention)) {
    if (signal.aborted) return expired
    try {
      await expirePartition(db, partition, retention, expired, signal)
    } catch (error) {
      if (!isContended(error)) throw error
    }
  }
  return expired
}

async function expirePartition(
  db: Kysely<Database>,
  { name, hasEnded }: OldPartition,
  retention: ArchiveRetention,
  expired: { partitions: number; runs: number },
  signal: AbortSignal,
): Promise<void> {
  const dropped = hasEnded ? await dropExpired(db, name, retention) : undefined
  if (dropped !== undefined) {
    expired.partitions += 1
    expired.runs += dropped
    return
  }
  for (let deleted = atOnce; deleted === atOnce && !signal.aborted; ) {
    deleted = await deleteExpired(db, name, retention)
    expired.runs += deleted
  }
}

/** Another process has dropped the partition, or a long query uses it: the next time decides. */
function isContended(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === '42P01' || code === '55P03'
}

/** Undefined if all runs are kept. */
function shortestMs({ keptMs, byNamespace }: ArchiveRetention): number | undefined {
  const limits = [keptMs, ...Object.values(byNamespace)].filter((ms) => ms > 0)
  return limits.length === 0 ? undefined : Math.min(...limits)
}

interface OldPartition {
  readonly name: string
  /** Whether its month has passed. */
  readonly hasEnded: boolean
}

/** By the clock of the database. A run finishes after it is created, which is in the month of the partition. */
async function oldPartitions(
  db: Kysely<Database>,
  retention: ArchiveRetention,
): Promise<readonly OldPartition[]> {
  const { rows } = await sql<OldPartition>`
    select relname as name, relname < 'run_archive_' || to_char(now() at time zone 'UTC', 'YYYYMM') as "hasEnded"
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass and relname ~ '^run_archive_[0-9]{6}$'
      and relname <= 'run_archive_' || to_char((now() - ${interval(shortestMs(retention) ?? 0)}) at time zone 'UTC', 'YYYYMM')
    order by relname`.execute(db)
  return rows
}

/** Resolves to how many runs were in it, or to undefined if it has others. */
async function dropExpired(
  db: Kysely<Database>,
  name: string,
  retention: ArchiveRetention,
): Promise<number | undefined> {
  if (await hasOther(db, name, retention)) return undefined
  return await db.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(transaction)
    await sql`lock table ${sql.table(name)} in access exclusive mode`.execute(transaction)
    // A run may have been archived meanwhile.
    if (await hasOther(transaction, name, retention)) return undefined
    const { rows } = await sql<{ runs: number }>`
      select count(*)::int as runs from ${sql.table(name)}`.execute(transaction)
    await sql`drop table ${sql.table(name)}`.execute(transaction)
    return rows[0]?.runs ?? 0
  })
}

async function hasOther(
  db: Kysely<Database> | Transaction<Database>,
  name: string,
  retention: ArchiveRetention,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(name)} where not ${hasExpired(retention)} limit 1`.execute(db)
  return rows.length > 0
}

async function deleteExpired(
  db: Kysely<Database>,
  name: string,
  retention: ArchiveRetention,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(name)} where uid = any(array(
      select uid from ${sql.table(name)} where ${hasExpired(retention)} limit ${atOnce}))`.execute(
    db,
  )
  return Number(numAffectedRows)
}

function hasExpired({ keptMs, byNamespace }: ArchiveRetention) {
  const own = Object.entries(byNamespace)
  if (own.length === 0) return sql`(finished_at < ${past(keptMs)})`
  const choices = own.map(([namespace, ms]) => sql`when ${namespace} then ${past(ms)}`)
  return sql`(finished_at < case namespace ${sql.join(choices, sql` `)} else ${past(keptMs)} end)`
}

function past(ms: number) {
  return ms === 0 ? sql`'-infinity'::timestamptz` : sql`now() - ${interval(ms)}`
}

function interval(ms: number) {
  return sql`${`${ms} milliseconds`}::interval`
}
