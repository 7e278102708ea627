import { type HealthCheck, type Runnable, whenAborted } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import { migrate } from '../kysely-migrations.ts'

interface MigrationPart extends Runnable {
  /** Fails until the schema is up to date. */
  readonly check: HealthCheck
}

/**
 * Migrates the database before the parts that are added later start. Probes are answered meanwhile: a process that is
 * killed because it takes long would begin again, and never end.
 */
export function migrationPart(db: Kysely<Database>, log: Logger): MigrationPart {
  let isDone = false
  return {
    name: 'migrations',
    check: () => {
      if (!isDone) throw new Error('the database is being migrated')
    },
    start: async (signal) => {
      try {
        await migrate(db, log, { signal })
        isDone = true
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    run: whenAborted,
  }
}
