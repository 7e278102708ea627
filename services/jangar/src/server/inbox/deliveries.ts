import { type Kysely, sql } from 'kysely'
import type { Database } from '../database-schema.ts'

export const deliveryStates = ['waiting', 'done', 'dead'] as const
type DeliveryState = (typeof deliveryStates)[number]

/** A delivery as people see it: without its content, which may be of an issue that not everybody may read. */
export interface Delivery {
  readonly id: string
  readonly namespace: string
  readonly source: string
  readonly provider: string
  readonly event: string
  /** The identifier that the sender gave it. */
  readonly deliveryId?: string
  /** The issue or pull request. */
  readonly subject: string
  readonly sizeBytes: number
  readonly state: DeliveryState
  readonly attempts: number
  /** Why it is dead, why it waits, or why it started nothing. */
  readonly reason?: string
  readonly receivedAt: string
  readonly processedAt?: string
  /** When it is tried again. */
  readonly nextAttemptAt?: string
}

export interface DeliveryQuestion {
  readonly namespace: string | undefined
  readonly source: string | undefined
  readonly state: DeliveryState | undefined
  /** Only older ones than this. */
  readonly before: string | undefined
  readonly limit: number
}

/** The inbox as people look at it. */
export interface Deliveries {
  /** Newest first. */
  list(question: DeliveryQuestion): Promise<readonly Delivery[]>
  find(namespace: string, id: string): Promise<Delivery | undefined>
  /** Lets a dead delivery be tried again, from its first attempt on. False if it is not dead. */
  replay(namespace: string, id: string): Promise<boolean>
}

const columns = [
  'id',
  'namespace',
  'source',
  'provider',
  'event',
  'delivery_id',
  'subject',
  'size',
  'state',
  'attempts',
  'error',
  'received_at',
  'processed_at',
  'next_attempt_at',
] as const

export function deliveriesIn(db: Kysely<Database>): Deliveries {
  return {
    list: async ({ namespace, source, state, before, limit }) => {
      let query = db.selectFrom('webhook_inbox').select(columns).orderBy('id', 'desc').limit(limit)
      if (namespace !== undefined) query = query.where('namespace', '=', namespace)
      if (source !== undefined) query = query.where('source', '=', source)
      if (state !== undefined) query = query.where('state', '=', state)
      if (before !== undefined) query = query.where('id', '<', before)
      return (await query.execute()).map(deliveryOf)
    },
    find: async (namespace, id) => {
      const query = db.selectFrom('webhook_inbox').select(columns)
      const row = await query
        .where('id', '=', id)
        .where('namespace', '=', namespace)
        .executeTakeFirst()
      return row && deliveryOf(row)
    },
    replay: async (namespace, id) => {
      const { numUpdatedRows } = await db
        .updateTable('webhook_inbox')
        .set({
          ...{ state: 'waiting', attempts: 0, error: null, processed_at: null },
          next_attempt_at: sql<Date>`now()`,
        })
        .where('id', '=', id)
        .where('namespace', '=', namespace)
        .where('state', '=', 'dead')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
  }
}

interface Row {
  readonly id: string
  readonly namespace: string
  readonly source: string
  readonly provider: string
  readonly event: string
  readonly delivery_id: string | null
  readonly subject: string
  readonly size: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly error: string | null
  readonly received_at: Date
  readonly processed_at: Date | null
  readonly next_attempt_at: Date
}

function deliveryOf(row: Row): Delivery {
  const { id, namespace, source, provider, event, subject, state, attempts } = row
  return {
    ...{ id, namespace, source, provider, event },
    ...(row.delivery_id !== null && { deliveryId: row.delivery_id }),
    ...{ subject, sizeBytes: row.size, state, attempts },
    ...(row.error !== null && { reason: row.error }),
    receivedAt: row.received_at.toISOString(),
    ...(row.processed_at !== null && { processedAt: row.processed_at.toISOString() }),
    ...(state === 'waiting' && { nextAttemptAt: row.next_attempt_at.toISOString() }),
  }
}
