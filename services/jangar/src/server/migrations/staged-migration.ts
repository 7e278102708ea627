import type { Logger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export interface PreparePorts {
  readonly log: Logger
  /** Aborted when the process has to end. */
  readonly signal: AbortSignal
}

/** A migration of which a part cannot be in a transaction. */
export interface StagedMigration extends Migration {
  /**
   * Comes before `up`, outside of a transaction and without a limit of time. It is repeated after a crash at any line,
   * and must neither undo nor repeat what it has done.
   */
  prepare?(db: Kysely<unknown>, ports: PreparePorts): Promise<void>
}
