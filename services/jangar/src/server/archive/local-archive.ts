import type { Logger } from '@agents/log'
import { openDatabase } from '../db.ts'
import { migrate } from '../kysely-migrations.ts'
import { archiveRun } from './archive-run.ts'
import type { Archive } from './open-archive.ts'

/** The archive of a platform in a single process, which also migrates the schema. */
export async function openLocalArchive(url: string, log: Logger): Promise<Archive> {
  const db = await openDatabase({ url, sslMode: 'disable', sslRootCert: undefined }, log)
  try {
    await migrate(db, log)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { keep: (run, kind) => archiveRun(db, run, kind), close: () => db.destroy() }
}
