import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import {
  forgetDeliveries,
  type Outcome,
  settleDelivery,
  type TakenDelivery,
  takeDeliveries,
} from './inbox.ts'

/** The inbox as the controllers use it. */
export interface InboxReader {
  take(most: number): Promise<readonly TakenDelivery[]>
  settle(delivery: TakenDelivery, outcome: Outcome): Promise<void>
  forget(before: Date): Promise<number>
}

/** The database may still be opening. */
export function inboxReader(database: Promise<Kysely<Database>>): InboxReader {
  return {
    take: async (most) => takeDeliveries(await database, most),
    settle: async (delivery, outcome) => settleDelivery(await database, delivery, outcome),
    forget: async (before) => forgetDeliveries(await database, before),
  }
}
