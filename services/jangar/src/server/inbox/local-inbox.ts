import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { openDatabase } from '../db.ts'
import { type Deliveries, deliveriesIn } from './deliveries.ts'
import { type InboxReader, inboxReader } from './inbox-reader.ts'

/** The inbox of a platform in a single process, in a database that is migrated already. */
export interface LocalInbox {
  readonly database: Kysely<Database>
  readonly reader: InboxReader
  readonly deliveries: Deliveries
  close(): Promise<void>
}

export async function openLocalInbox(url: string, log: Logger): Promise<LocalInbox> {
  const database = await openDatabase({ url, sslMode: 'disable', sslRootCert: undefined }, log)
  return {
    database,
    reader: inboxReader(Promise.resolve(database)),
    deliveries: deliveriesIn(database),
    close: () => database.destroy(),
  }
}
