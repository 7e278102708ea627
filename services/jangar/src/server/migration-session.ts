import { sleep, systemClock } from '@agents/controller'
import type { Logger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import type { Database } from './database-schema.ts'

/** Any number that no other user of the database has. Kysely has one of its own, which earlier versions wait for. */
const lockId = 4_711_000_020_260_101n
const pollMs = 500

interface SessionPorts {
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Runs this with a connection of its own, in one process at a time. If the process is killed, PostgreSQL finishes the
 * statement that it executes and gives the lock to the next one then.
 */
export function inMigrationSession<T>(
  db: Kysely<Database>,
  { log, signal }: SessionPorts,
  run: (connection: Kysely<Database>) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await configure(connection)
    const cancelling = await cancelWhenAborted(db, connection, signal)
    try {
      await acquire(connection, { log, signal })
      return await run(connection)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      await cancelling.end()
      await release(connection)
    }
  })
}

/**
 * A limit of the role would end the building of an index, each time again. PostgreSQL must notice soon that the machine
 * of a process is gone, because nobody else gets the lock before.
 */
async function configure(connection: Kysely<Database>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false),
    set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false),
    set_config('tcp_keepalives_count', '3', false)`.execute(connection)
}

/** PostgreSQL does not notice that a process has to end. What it has not finished is begun again later. */
async function cancelWhenAborted(
  db: Kysely<Database>,
  connection: Kysely<Database>,
  signal: AbortSignal,
) {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)
  let cancelled: Promise<unknown> = Promise.resolve()
  const cancel = (): void => {
    const query = sql`select pg_cancel_backend(${rows[0]?.pid ?? 0})`
    cancelled = query.execute(db).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel)
  return {
    end: async () => {
      signal.removeEventListener('abort', cancel)
      await cancelled
    },
  }
}

/**
 * Asks again and again: who waits in PostgreSQL has a snapshot, and a concurrent index is complete only after all
 * older snapshots are gone, so that both would wait for each other.
 */
async function acquire(connection: Kysely<Database>, { log, signal }: SessionPorts): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${sql.lit(lockId)}) as "isOurs"`.execute(connection)
    if (rows[0]?.isOurs) return
    if (tries === 1) log.info('another process migrates the database; waiting for it')
    await sleep(systemClock, pollMs, signal)
  }
}

/** The connection is used again. If it is broken, PostgreSQL has forgotten all of this. */
async function release(connection: Kysely<Database>): Promise<void> {
  try {
    await sql`select pg_advisory_unlock_all()`.execute(connection)
    await sql`reset statement_timeout`.execute(connection)
    await sql`reset lock_timeout`.execute(connection)
  } catch {
    // What has failed before is the error that counts.
  }
}
