import { type Archive, openLocalArchive } from '@agents/jangar'
import { startPostgres } from '@agents/local-postgres'
import type { PlatformPart } from './platform-part.ts'

export interface LocalDatabase {
  readonly part: PlatformPart
  /** Waits for the database; fails where there is none. */
  readonly archive: Archive['keep']
}

/**
 * PostgreSQL for what the cluster forgets. No run waits for it, and the platform goes on where there can be none. Who still waits
 * for it when the platform is to stop is told that it will not come; what was to be archived is there at the next start.
 */
export function databasePart(stop: AbortSignal): LocalDatabase {
  const opened = Promise.withResolvers<Archive>()
  opened.promise.catch(() => undefined)
  stop.addEventListener('abort', () => opened.reject(stop.reason), { once: true })
  const part: PlatformPart = {
    name: 'database',
    needsKinds: false,
    inBackground: true,
    start: async ({ folder, log }) => {
      const own = log.with({ part: 'database' })
      try {
        const postgres = await startPostgres({
          directory: folder.database,
          log: own,
          onEnd: (error) => own.error('the database has ended; runs are not archived', { error }),
        })
        const archive = await openLocalArchive(postgres.url, own)
        opened.resolve(archive)
        return {
          stop: async () => {
            await archive.close()
            await postgres.stop()
          },
        }
      } catch (error) {
        own.warn('there is no database here; finished runs are not archived', { error })
        opened.reject(error)
        return { stop: async () => undefined }
      }
    },
  }
  return { part, archive: async (run) => (await opened.promise).keep(run) }
}
