import type { Clock } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { DatabaseConfig } from '../database-tls.ts'
import { openDatabase } from '../db.ts'
import type { Act, AuditEntry, AuditHead } from './audit-entry.ts'
import { AuditLog } from './audit-log.ts'
import { type AuditQuestion, type AuditVerdict, listAudit, verifyAudit } from './read-audit.ts'

/** The log of acts in a database. */
export interface Audit {
  record(act: Act): Promise<void>
  list(question: AuditQuestion): Promise<readonly AuditEntry[]>
  verify(anchor: AuditHead | undefined): Promise<AuditVerdict>
  close(): Promise<void>
}

const longestQueryMs = 10_000

export async function openAudit(config: DatabaseConfig, log: Logger, clock: Clock): Promise<Audit> {
  const db = await openDatabase(config, log, { queryTimeoutMs: longestQueryMs })
  const entries = new AuditLog({ db, clock, log })
  return {
    record: (act) => entries.record(act),
    list: (question) => listAudit(db, question),
    verify: (anchor) => verifyAudit(db, anchor),
    close: async () => {
      await entries.close()
      await db.destroy()
    },
  }
}
