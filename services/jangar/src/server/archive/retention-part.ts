import { type Clock, type Runnable, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { type ArchiveRetention, expireRuns } from './expire-runs.ts'

interface RetentionPorts {
  readonly db: Kysely<Database>
  readonly retention: ArchiveRetention
  readonly log: Logger
  readonly clock: Clock
}

const firstMs = 60_000
const intervalMs = 3_600_000

/** Removes archived runs whose time has passed, every hour. Several processes may do it at a time. */
export function retentionPart({ db, retention, log, clock }: RetentionPorts): Runnable {
  return {
    name: 'retention of the archive',
    run: async (signal) => {
      await sleep(clock, firstMs, signal)
      while (!signal.aborted) {
        try {
          const { runs, partitions } = await expireRuns(db, retention, signal)
          if (runs > 0) log.info('archived runs expired', { runs, partitions })
        } catch (error) {
          if (!signal.aborted) log.warn('archived runs not expired; will be retried', { error })
        }
        await sleep(clock, intervalMs, signal)
      }
    },
  }
}
