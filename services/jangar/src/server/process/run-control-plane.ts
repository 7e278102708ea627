import { parseConfig } from '@agents/config'
import type { Logger } from '@agents/log'
import type { Tracing } from '@agents/tracing'
import { sql } from 'kysely'
import {
  type ControlPlaneConfig,
  controlPlane,
  controlPlaneRules,
} from '../../config/control-plane.ts'
import { everySetting } from '../../config/every-setting.ts'
import { openArchive } from '../archive/open-archive.ts'
import { openDatabase } from '../db.ts'
import { migrate } from '../kysely-migrations.ts'
import { addControllers } from './add-controllers.ts'
import { serveCluster } from './cluster-process.ts'
import { grpcPart } from './grpc-part.ts'
import type { ProcessEffects } from './process-effects.ts'
import { runProcess } from './process-frame.ts'

/** The control plane, from its environment to its exit code. It owns the schema, and runs the controllers where nobody else does. */
export function runControlPlane(effects: ProcessEffects): Promise<number> {
  return runProcess(
    {
      name: 'the control plane',
      service: 'agents-control-plane',
      known: everySetting,
      readConfig: (environment) => parseConfig(controlPlane, environment, controlPlaneRules),
      introduction: ({ migrations, agents, leaderElection }) => ({
        migrations: migrations.mode,
        controllers: agents.enabled,
        leaderElection: leaderElection.enabled,
      }),
      serve,
    },
    effects,
  )
}

async function serve(
  config: ControlPlaneConfig,
  effects: ProcessEffects,
  log: Logger,
  tracing: Tracing,
): Promise<void> {
  const database = await openOwnDatabase(config, log)
  const archive = await openArchive(config, log)
  try {
    await serveCluster(config, effects, log, {
      userAgent: 'agents-control-plane',
      tracing,
      readiness: database ? { database: database.check } : {},
      addParts: (manager, world) => {
        if (config.grpc.enabled) manager.add('servers', grpcPart(config, world, database?.check))
        addControllers(manager, { ...world, config, archive: archive?.keep })
      },
    })
  } finally {
    await archive?.close()
    await database?.close()
  }
}

/** The database, with the schema of this version unless that was forbidden; undefined where there is none. */
async function openOwnDatabase({ database, migrations }: ControlPlaneConfig, log: Logger) {
  const { url, ...tls } = database
  if (url === undefined) {
    log.warn('DATABASE_URL is not set: nothing is migrated, and finished runs are not archived')
    return undefined
  }
  const db = await openDatabase({ url, ...tls }, log)
  try {
    if (migrations.mode === 'auto') await migrate(db, log)
    else log.warn('migrations are skipped; the database stays as it is', { migrations: 'skip' })
  } catch (error) {
    await db.destroy()
    throw error
  }
  const check = async (): Promise<void> => void (await sql`select 1`.execute(db))
  return { check, close: () => db.destroy() }
}
