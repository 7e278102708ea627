import type { Logger } from '@agents/log'
import type { DatabaseConfig } from '../database-tls.ts'
import { openDatabase } from '../db.ts'
import { type Deliveries, deliveriesIn } from './deliveries.ts'

const longestQueryMs = 10_000

export interface OpenDeliveries extends Deliveries {
  close(): Promise<void>
}

/** Opens the inbox for people, with connections of its own: a long list does not delay what is stored. */
export async function openDeliveries(config: DatabaseConfig, log: Logger): Promise<OpenDeliveries> {
  const db = await openDatabase(config, log, { queryTimeoutMs: longestQueryMs })
  return { ...deliveriesIn(db), close: () => db.destroy() }
}
