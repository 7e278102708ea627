import { systemClock } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { ArchivedRuns } from '../api/archived-runs.ts'
import { type Audit, openAudit } from '../audit/open-audit.ts'
import { openDatabase } from '../db.ts'
import { migrate } from '../kysely-migrations.ts'
import { archiveRun } from './archive-run.ts'
import type { Archive } from './open-archive.ts'
import { openReader } from './open-reader.ts'

export interface LocalArchive extends Archive {
  readonly runs: ArchivedRuns
  readonly audit: Audit
}

/** The archive of a platform in a single process, which also migrates the schema. */
export async function openLocalArchive(url: string, log: Logger): Promise<LocalArchive> {
  const config = { url, sslMode: 'disable', sslRootCert: undefined } as const
  const db = await openDatabase(config, log)
  try {
    await migrate(db, log)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const reader = await openReader(config, log)
  const audit = await openAudit(config, log, systemClock)
  return {
    keep: (run, kind) => archiveRun(db, run, kind),
    runs: reader.runs,
    audit,
    close: async () => {
      await Promise.all([db.destroy(), reader.close(), audit.close()])
    },
  }
}
