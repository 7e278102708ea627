/** Migrates the database and ends: for a Job that runs before the control plane is rolled out. */
import { ConfigError, parseConfig } from '@agents/config'
import { createLogger } from '@agents/log'
import { requiredDatabase } from '../config/database.ts'
import { shared } from '../config/shared.ts'
import { openDatabase } from '../server/db.ts'
import { migrate } from '../server/kysely-migrations.ts'

try {
  const { log, database } = parseConfig(
    { log: shared.log, database: requiredDatabase },
    process.env,
  )
  const logger = createLogger({ sink: process.stderr, level: log.level })
  const db = await openDatabase(database, logger)
  try {
    await migrate(db, logger)
  } finally {
    await db.destroy()
  }
} catch (error) {
  // What the driver says names host and user, never the password.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof ConfigError ? 78 : 1
}
