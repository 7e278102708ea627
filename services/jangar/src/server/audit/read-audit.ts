import { type Kysely, type Selectable, sql } from 'kysely'
import type { AuditEventsTable, Database } from '../database-schema.ts'
import { type AuditEntry, type AuditHead, chained, emptyHead, type Outcome } from './audit-entry.ts'

export interface AuditQuestion {
  readonly namespace: string | undefined
  readonly actor: string | undefined
  readonly action: string | undefined
  readonly outcome: string | undefined
  /** Only older ones than this. */
  readonly before: number | undefined
  readonly limit: number
}

/** Newest first. */
export async function listAudit(
  db: Kysely<Database>,
  { namespace, actor, action, outcome, before, limit }: AuditQuestion,
): Promise<readonly AuditEntry[]> {
  let query = db.selectFrom('audit_events').selectAll().orderBy('seq', 'desc').limit(limit)
  if (namespace !== undefined) query = query.where('namespace', '=', namespace)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where('action', '=', action)
  if (outcome !== undefined) query = query.where('outcome', '=', outcome)
  if (before !== undefined) query = query.where('seq', '<', String(before))
  return (await query.execute()).map(entryOf)
}

export interface AuditVerdict {
  readonly ok: boolean
  /** How many entries fit together, from the first one. */
  readonly entries: number
  readonly head: AuditHead
  /** The first entry that is wrong, if one is. */
  readonly entry?: number
  readonly problem?: string
}

const readAtOnce = 2_000

/**
 * Reads the whole log and says which entry is the first that was changed, removed or moved. Who may write to the
 * database can also write a whole new log; an anchor shows that: the head of an earlier verdict, kept elsewhere.
 */
export async function verifyAudit(
  db: Kysely<Database>,
  anchor?: AuditHead | undefined,
): Promise<AuditVerdict> {
  return await db
    .transaction()
    // One state of both tables, while others append.
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const row = await transaction.selectFrom('audit_head').selectAll().executeTakeFirst()
      const end = { seq: Number(row?.seq ?? 0), hash: row?.hash ?? '' }
      let head = emptyHead
      const wrong = (entry: number, problem: string): AuditVerdict => ({
        ...{ ok: false, entries: head.seq, head, entry, problem },
      })
      for (;;) {
        const rows = await transaction
          .selectFrom('audit_events')
          .selectAll()
          .where('seq', '>', String(head.seq))
          .orderBy('seq')
          .limit(readAtOnce)
          .execute()
        for (const entry of rows.map(entryOf)) {
          const seq = head.seq + 1
          if (entry.seq !== seq) return wrong(seq, `entry ${seq} is missing`)
          if (entry.hash !== chained(head, entry).hash) {
            return wrong(seq, `entry ${seq} was changed or moved, or the hash of the one before`)
          }
          if (anchor?.seq === seq && anchor.hash !== entry.hash) {
            return wrong(seq, `entry ${seq} is not the one of the anchor`)
          }
          head = { seq, hash: entry.hash }
        }
        if (rows.length < readAtOnce) break
      }
      const { rows: early } = await sql`select 1 from audit_events where seq < 1 limit 1`.execute(
        transaction,
      )
      if (early.length > 0) return wrong(0, 'there are entries before the first')
      const missing = head.seq + 1
      if (end.seq > head.seq) return wrong(missing, `entry ${missing} is missing at the end`)
      if (end.seq !== head.seq || end.hash !== head.hash) {
        return wrong(head.seq, `entry ${head.seq} is not the end that was recorded`)
      }
      if (anchor !== undefined && anchor.seq > head.seq) {
        return wrong(missing, `entry ${missing} is missing: the anchor is entry ${anchor.seq}`)
      }
      return { ok: true, entries: head.seq, head }
    })
}

function entryOf(row: Selectable<AuditEventsTable>): AuditEntry {
  const { seq, at, outcome, ...others } = row
  return { ...others, seq: Number(seq), at: at.toISOString(), outcome: outcome as Outcome }
}
