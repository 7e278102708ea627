import {
  type Archive,
  type ArchivedRuns,
  type Audit,
  type LocalArchive,
  type LocalInbox,
  openLocalArchive,
  openLocalInbox,
  openLocalLedger,
  type UsageLedger,
} from '@agents/jangar'
import { startPostgres } from '@agents/local-postgres'
import type { DatabaseState } from '../running-platform/platform-health.ts'
import type { PlatformPart } from './platform-part.ts'

export interface LocalDatabase {
  readonly part: PlatformPart
  /** Waits for the database. Fails if this machine cannot run one. */
  readonly archive: Archive['keep']
  /** Fails until there is a database. */
  readonly archivedRuns: ArchivedRuns
  /** The same. */
  readonly ledger: UsageLedger
  /** Stores what came before when the database has started, and nothing if this machine cannot run one. */
  readonly audit: Audit
  /** Deliveries of issue trackers. Fails if this machine cannot run a database. */
  readonly inbox: Promise<LocalInbox>
  readonly state: () => DatabaseState
}

/**
 * PostgreSQL for the archive of finished runs and the ledger of usage. Only runs with a Budget wait for it, some
 * seconds, and the platform also works without it. When the platform stops, pending writes fail; they are made at the
 * next start.
 */
export function databasePart(stop: AbortSignal): LocalDatabase {
  const opened = Promise.withResolvers<LocalArchive>()
  const openedLedger = Promise.withResolvers<UsageLedger>()
  const openedInbox = Promise.withResolvers<LocalInbox>()
  openedLedger.promise.catch(() => undefined)
  openedInbox.promise.catch(() => undefined)
  opened.promise.catch(() => undefined)
  const reject = (reason: unknown): void => {
    opened.reject(reason)
    openedLedger.reject(reason)
    openedInbox.reject(reason)
  }
  stop.addEventListener('abort', () => reject(stop.reason), { once: true })
  let state: DatabaseState = 'starting'
  let runs: ArchivedRuns | undefined
  let audit: Audit | undefined
  const auditing = (): Audit => {
    if (audit === undefined) throw new Error('the database has not started')
    return audit
  }
  const reading = async (): Promise<ArchivedRuns> => {
    if (runs === undefined) throw new Error('the database has not started')
    return runs
  }
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
          onEnd: (error) => {
            state = 'down'
            own.error('database stopped, runs are archived after its restart', { error })
          },
          onRestart: () => {
            state = 'serving'
            own.info('database restarted')
          },
        })
        const archive = await openLocalArchive(postgres.url, own)
        state = postgres.pid === undefined ? 'down' : 'serving'
        const usage = await openLocalLedger(postgres.url, own)
        const inbox = await openLocalInbox(postgres.url, own)
        runs = archive.runs
        audit = archive.audit
        opened.resolve(archive)
        openedLedger.resolve(usage.ledger)
        openedInbox.resolve(inbox)
        return {
          stop: async () => {
            await archive.close()
            await usage.close()
            await inbox.close()
            await postgres.stop()
          },
        }
      } catch (error) {
        state = 'none'
        own.warn('no database available, finished runs are not archived', { error })
        reject(error)
        return { stop: async () => undefined }
      }
    },
  }
  return {
    part,
    archive: async (run, kind) => {
      try {
        return await (await opened.promise).keep(run, kind)
      } catch (error) {
        if (state === 'none') return 'none'
        throw error
      }
    },
    audit: {
      record: async (act) => {
        const stored = opened.promise.then(
          (archive) => archive.audit.record(act),
          () => undefined,
        )
        // The first run ends before the database starts: its uploads must not wait for their entries.
        if (state !== 'starting') await stored
      },
      list: async (question) => await auditing().list(question),
      verify: async (anchor) => await auditing().verify(anchor),
      close: async () => undefined,
    },
    archivedRuns: {
      list: async (question) => (await reading()).list(question),
      namespaces: async () => (await reading()).namespaces(),
      find: async (name) => (await reading()).find(name),
      locate: async (uid) => (await reading()).locate(uid),
      usage: async (question) => (await reading()).usage(question),
      export: async function* (question) {
        yield* (await reading()).export(question)
      },
      import: async (given) => (await reading()).import(given),
    },
    ledger: ledgerOf(openedLedger.promise),
    inbox: openedInbox.promise,
    state: () => state,
  }
}

function ledgerOf(opened: Promise<UsageLedger>): UsageLedger {
  return {
    record: async (...row) => (await opened).record(...row),
    now: async () => (await opened).now(),
    known: async (uids) => (await opened).known(uids),
    past: async (question) => (await opened).past(question),
  }
}
