import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import type { Database } from '../database-schema.ts'
import type { DatabaseConfig } from '../database-tls.ts'
import { openDatabase } from '../db.ts'
import { migrate } from '../kysely-migrations.ts'

export interface TestDatabase {
  readonly config: DatabaseConfig
  readonly db: Kysely<Database>
  /** Another pool of connections, which the caller closes. */
  open(): Promise<Kysely<Database>>
  stop(): Promise<void>
}

/** A real PostgreSQL of its own, with the newest schema unless it is to be empty. */
export async function startTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'agents-database-'))
  const postgres = await startPostgres({ directory, log: silentLogger })
  const config = { url: postgres.url, sslMode: undefined, sslRootCert: undefined }
  const open = () => openDatabase(config, silentLogger)
  const db = await open()
  if (!isEmpty) await migrate(db, silentLogger)
  return {
    config,
    db,
    open,
    stop: async () => {
      await db.destroy()
      await postgres.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
