import type { Logger } from '@agents/log'
import { openDatabase } from '../db.ts'
import { usageLedger } from './ledger.ts'
import type { OpenLedger } from './open-ledger.ts'

/** The ledger of a platform in a single process, in a database that is migrated already. */
export async function openLocalLedger(url: string, log: Logger): Promise<OpenLedger> {
  const db = await openDatabase({ url, sslMode: 'disable', sslRootCert: undefined }, log)
  return { ledger: usageLedger(db), close: () => db.destroy() }
}
