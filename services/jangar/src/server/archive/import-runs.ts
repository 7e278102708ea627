import type { Kysely } from 'kysely'
import { ApiError } from '../api/api-error.ts'
import type { Imported, ImportedRun } from '../api/archived-runs.ts'
import type { Database } from '../database-schema.ts'
import { type ArchivedKind, type ArchivedRun, isRefusal, storeRun } from './archive-run.ts'

/** The cluster of the archive has newer versions, whatever those of another cluster are. */
const oldest = '0'

/**
 * Adds runs that another archive had, all or none. A run that is archived already is left as it is, and what the
 * controllers archive later replaces what was imported.
 */
export async function importRuns(
  db: Kysely<Database>,
  runs: readonly ImportedRun[],
): Promise<Imported> {
  if (runs.length === 0) return { imported: 0, known: 0 }
  return await db.transaction().execute(async (transaction) => {
    const uids = runs.map(({ run }) => run.metadata.uid ?? '')
    const found = await transaction
      .selectFrom('run_archive')
      .select('uid')
      .where('uid', 'in', uids)
      .execute()
    const known = new Set(found.map(({ uid }) => uid))
    let imported = 0
    for (const { line, run } of runs) {
      const uid = run.metadata.uid ?? ''
      if (known.has(uid)) continue
      // The partitions know their own uids only.
      known.add(uid)
      try {
        await storeRun(transaction, run as ArchivedRun, run.kind as ArchivedKind, oldest)
      } catch (error) {
        if (!isRefusal(error)) throw error
        throw refused(line, error)
      }
      imported += 1
    }
    return { imported, known: runs.length - imported }
  })
}

function refused(line: number, cause: unknown): ApiError {
  return new ApiError('BadRequest', `line ${line}: the database refuses its content`, { cause })
}
