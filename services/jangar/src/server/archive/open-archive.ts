import type { AgentRun } from '@agents/jangar-api'
import type { Logger } from '@agents/log'
import type { ControllersConfig } from '../../config/controllers.ts'

export interface Archive {
  readonly keep: (run: AgentRun) => Promise<void>
  close(): Promise<void>
}

/** Where runs that have ended are kept; undefined where there is nowhere to, or it is not wanted. */
export async function openArchive(
  { archive, database }: Pick<ControllersConfig, 'archive' | 'database'>,
  log: Logger,
): Promise<Archive | undefined> {
  const { url, ...tls } = database
  if (url === undefined || !archive.enabled) return undefined
  // Whoever has no database need not hold its driver in memory.
  const [{ openDatabase }, { archiveRun }] = await Promise.all([
    import('../db.ts'),
    import('./archive-run.ts'),
  ])
  const db = await openDatabase({ url, ...tls }, log)
  return { keep: (run) => archiveRun(db, run), close: () => db.destroy() }
}
