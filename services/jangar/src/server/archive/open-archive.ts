import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { KeepRun } from './archive-run.ts'

export interface Archive {
  readonly keep: KeepRun
  close(): Promise<void>
}

/** Opens the archive of finished runs. Undefined if there is no database or archiving is disabled. */
export async function openArchive(
  { archive, database }: Pick<ControllersConfig, 'archive' | 'database'>,
  log: Logger,
): Promise<Archive | undefined> {
  const { url, ...tls } = database
  if (url === undefined || !archive.enabled) return undefined
  // Imported on demand, so that a process without a database does not load the driver.
  const [{ openDatabase }, { archiveRun }] = await Promise.all([
    import('../db.ts'),
    import('./archive-run.ts'),
  ])
  const db = await openDatabase({ url, ...tls }, log)
  return { keep: (run, kind) => archiveRun(db, run, kind), close: () => db.destroy() }
}
