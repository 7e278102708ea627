import { readFile } from 'node:fs/promises'
import type { ConnectionOptions } from 'node:tls'
import type { ConfigOf } from '@agents/config'
import type { Logger } from '@agents/log'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { requiredDatabase } from '../config/database.ts'
import type { Database } from './database-schema.ts'

export type DatabaseConfig = ConfigOf<typeof requiredDatabase>

/** A pool of connections. None is made before the first query. */
export async function openDatabase(config: DatabaseConfig, log: Logger): Promise<Kysely<Database>> {
  const ssl = await tlsOf(config)
  const pool = new pg.Pool({
    connectionString: withoutTlsWords(config.url, config.sslMode !== undefined),
    ...(ssl !== undefined && { ssl }),
    max: 10,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: 'agents',
  })
  // A connection that breaks, idle or at work, must not end the process: the next query makes a new one.
  const onBroken = ({ message }: Error): void =>
    log.warn('a connection to the database broke', { message })
  pool.on('error', onBroken)
  pool.on('connect', (client) => client.on('error', onBroken))
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
}

/**
 * In the words of libpq, but for one thing: `allow` and `prefer` do not try both ways. They are plain, or encrypted when there is
 * a certificate authority to check the server with.
 */
async function tlsOf({
  sslMode,
  sslRootCert,
}: DatabaseConfig): Promise<ConnectionOptions | false | undefined> {
  if (sslMode === 'disable') return false
  const ca = sslRootCert === undefined ? undefined : await readFile(sslRootCert, 'utf8')
  if (sslMode === undefined && ca === undefined) return undefined
  if (sslMode === 'verify-full') return { ...(ca && { ca }) }
  // As libpq has it: with a certificate authority, require is verify-ca.
  if (ca !== undefined) return { ca, checkServerIdentity: () => undefined }
  if (sslMode === 'verify-ca') return { checkServerIdentity: () => undefined }
  return sslMode === 'require' ? { rejectUnauthorized: false } : false
}

/** What the environment says goes before what the URL says, and the driver would have it the other way round. */
function withoutTlsWords(url: string, isSaidElsewhere: boolean): string {
  if (!isSaidElsewhere || !URL.canParse(url)) return url
  const parsed = new URL(url)
  for (const name of ['sslmode', 'sslrootcert']) parsed.searchParams.delete(name)
  return parsed.href
}
