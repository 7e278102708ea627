import type { Logger } from '@agents/log'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from './database-schema.ts'
import { type DatabaseConfig, databaseConnection, explainTls } from './database-tls.ts'

/** Opens a connection pool. The first query makes the first connection. */
export async function openDatabase(
  config: DatabaseConfig,
  log: Logger,
  { queryTimeoutMs }: { readonly queryTimeoutMs?: number } = {},
): Promise<Kysely<Database>> {
  const { connectionString, ssl } = await databaseConnection(config)
  const pool = new pg.Pool({
    connectionString,
    ...(ssl !== undefined && { ssl }),
    max: 10,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: 'agents',
    ...(queryTimeoutMs !== undefined && {
      statement_timeout: queryTimeoutMs,
      query_timeout: queryTimeoutMs + 1_000,
    }),
  })
  // A broken connection, idle or in use, must not end the process: the next query opens a new one.
  const onBroken = ({ message }: Error): void =>
    log.warn('database connection lost', { reason: message })
  pool.on('error', onBroken)
  pool.on('connect', (client) => client.on('error', onBroken))
  const explaining = {
    connect: () =>
      pool.connect().catch((error: unknown) => {
        throw explainTls(error)
      }),
    end: () => pool.end(),
    Client: pg.Client,
    options: pool.options,
  }
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool: explaining }) })
}
