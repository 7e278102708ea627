import { type Kysely, sql } from 'kysely'
import type { Database } from '../database-schema.ts'
import type { WebhookProvider } from './delivery/signature.ts'

/** A delivery that is to be stored. */
export interface NewDelivery {
  readonly sourceUid: string
  readonly namespace: string
  readonly source: string
  readonly provider: WebhookProvider
  readonly event: string
  readonly deliveryId: string | undefined
  readonly subject: string
  readonly digest: Buffer
  readonly payload: Buffer
}

/** A delivery that is being processed. */
export interface TakenDelivery {
  readonly id: string
  readonly sourceUid: string
  readonly namespace: string
  readonly source: string
  readonly provider: string
  readonly event: string
  readonly deliveryId: string | undefined
  readonly subject: string
  readonly payload: Buffer
  /** Counted from 1. */
  readonly attempts: number
  readonly receivedAt: Date
}

/** The lease of an attempt. When it expires, its process is considered dead, and another attempt may begin. */
const leaseMs = 30_000

/** Stores deliveries in the order given, in one transaction. Returns those that were not known, by index. */
export async function storeDeliveries(
  db: Kysely<Database>,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<number>> {
  const rows = await db
    .insertInto('webhook_inbox')
    .values(
      deliveries.map((one) => ({
        source_uid: one.sourceUid,
        namespace: one.namespace,
        source: one.source,
        provider: one.provider,
        event: one.event,
        delivery_id: one.deliveryId ?? null,
        subject: one.subject,
        digest: one.digest,
        payload: one.payload,
        size: one.payload.length,
      })),
    )
    .onConflict((conflict) => conflict.columns(['source_uid', 'digest']).doNothing())
    .returning(['source_uid', 'digest'])
    .execute()
  const stored = new Set(rows.map(({ source_uid, digest }) => identity(source_uid, digest)))
  // Of two equal ones in the list, the first was stored.
  return new Set(
    deliveries.keys().filter((at) => {
      const { sourceUid, digest } = deliveries[at] as NewDelivery
      return stored.delete(identity(sourceUid, digest))
    }),
  )
}

function identity(sourceUid: string, digest: Buffer): string {
  return `${sourceUid} ${digest.toString('base64')}`
}

/** Leases due deliveries: of each issue the oldest unprocessed one. Several processes may do so at the same time. */
export async function takeDeliveries(
  db: Kysely<Database>,
  most: number,
): Promise<readonly TakenDelivery[]> {
  const { rows } = await sql<Row>`
    update webhook_inbox set attempts = attempts + 1, next_attempt_at = now() + ${leaseMs} * interval '1 millisecond'
    where state = 'waiting' and next_attempt_at <= now() and id in (
      select id from (
        select distinct on (source_uid, subject) id, next_attempt_at from webhook_inbox
        where state = 'waiting' order by source_uid, subject, id
      ) as heads where next_attempt_at <= now() order by id limit ${most}
    )
    returning id, source_uid, namespace, source, provider, event, delivery_id, subject, payload, attempts, received_at
  `.execute(db)
  return rows
    .map((row) => ({
      id: row.id,
      sourceUid: row.source_uid,
      namespace: row.namespace,
      source: row.source,
      provider: row.provider,
      event: row.event,
      deliveryId: row.delivery_id ?? undefined,
      subject: row.subject,
      payload: row.payload ?? Buffer.alloc(0),
      attempts: row.attempts,
      receivedAt: row.received_at,
    }))
    .toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
}

interface Row {
  readonly id: string
  readonly source_uid: string
  readonly namespace: string
  readonly source: string
  readonly provider: string
  readonly event: string
  readonly delivery_id: string | null
  readonly subject: string
  readonly payload: Buffer | null
  readonly attempts: number
  readonly received_at: Date
}

/** What becomes of an attempt. */
export type Outcome =
  /** With the reason if it started nothing although it was to. */
  | { readonly kind: 'done'; readonly reason?: string }
  | { readonly kind: 'again'; readonly error: string; readonly afterMs: number }
  /** It did not fail: it waits for something else, and the attempt does not count. */
  | { readonly kind: 'later'; readonly error: string; readonly afterMs: number }
  | { readonly kind: 'dead'; readonly error: string }

const longestError = 1000

/** Records the end of an attempt, unless its lease expired and another attempt has begun. */
export async function settleDelivery(
  db: Kysely<Database>,
  { id, attempts }: Pick<TakenDelivery, 'id' | 'attempts'>,
  outcome: Outcome,
): Promise<void> {
  const reason = outcome.kind === 'done' ? outcome.reason : outcome.error
  const error = reason?.slice(0, longestError) ?? null
  const change =
    outcome.kind === 'again' || outcome.kind === 'later'
      ? {
          next_attempt_at: sql<Date>`now() + ${outcome.afterMs} * interval '1 millisecond'`,
          ...(outcome.kind === 'later' && { attempts: attempts - 1 }),
        }
      : {
          state: outcome.kind,
          processed_at: sql<Date>`now()`,
          // What was processed is not needed again; the digest still recognizes it.
          ...(outcome.kind === 'done' && { payload: null }),
        }
  await db
    .updateTable('webhook_inbox')
    .set({ error, ...change })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('attempts', '=', attempts)
    .execute()
}

/** Deletes deliveries that ended long ago. Returns how many. */
export async function forgetDeliveries(db: Kysely<Database>, before: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_inbox')
    .where('received_at', '<', before)
    .where('state', '!=', 'waiting')
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Bytes that wait, by the UID of the source. */
export async function waitingBytes(db: Kysely<Database>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('webhook_inbox')
    .select(['source_uid', (all) => all.fn.sum<string>('size').as('bytes')])
    .where('state', '=', 'waiting')
    .groupBy('source_uid')
    .execute()
  return new Map(rows.map(({ source_uid, bytes }) => [source_uid, Number(bytes)]))
}
