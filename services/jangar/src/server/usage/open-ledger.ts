import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { UsageLedger } from '../budgets/past-usage.ts'

export interface OpenLedger {
  readonly ledger: UsageLedger
  close(): Promise<void>
}

/** Opens the ledger of usage. Undefined if there is no database. The schema is migrated by the control plane. */
export async function openLedger(
  { database }: Pick<ControllersConfig, 'database'>,
  log: Logger,
): Promise<OpenLedger | undefined> {
  const { url, ...tls } = database
  if (url === undefined) return undefined
  // Imported on demand, so that a process without a database does not load the driver.
  const [{ openDatabase }, { usageLedger }] = await Promise.all([
    import('../db.ts'),
    import('./ledger.ts'),
  ])
  const db = await openDatabase({ url, ...tls }, log)
  return { ledger: usageLedger(db), close: () => db.destroy() }
}
