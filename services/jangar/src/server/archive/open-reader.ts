import type { Logger } from '@agents/log'
import type { ArchivedRuns } from '../api/archived-runs.ts'
import type { DatabaseConfig } from '../database-tls.ts'
import { openDatabase } from '../db.ts'
import { readArchive } from './read-archive.ts'

/** Beyond it, a search gives way to others. */
const longestQueryMs = 10_000

export interface ArchiveReader {
  readonly runs: ArchivedRuns
  close(): Promise<void>
}

/** Opens the archive for reading, with connections of its own: a long search does not delay what is written. */
export async function openReader(config: DatabaseConfig, log: Logger): Promise<ArchiveReader> {
  const db = await openDatabase(config, log, { queryTimeoutMs: longestQueryMs })
  return { runs: readArchive(db), close: () => db.destroy() }
}
