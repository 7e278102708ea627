import { systemClock } from '@agents/controller'
import type { Logger } from '@agents/log'
import { type ProcessEffects, runProcess, type ServicePorts, serveCluster } from '@agents/process'
import { sql } from 'kysely'
import manifest from '../../../package.json' with { type: 'json' }
import {
  type ControlPlaneConfig,
  controlPlane,
  controlPlaneRules,
} from '../../config/control-plane.ts'
import { everySetting } from '../../config/every-setting.ts'
import { openArchive } from '../archive/open-archive.ts'
import { openReader } from '../archive/open-reader.ts'
import { retentionPart } from '../archive/retention-part.ts'
import { openAudit } from '../audit/open-audit.ts'
import { openDatabase } from '../db.ts'
import type { OpenApi } from '../http/open-api.ts'
import { openDeliveries } from '../inbox/open-deliveries.ts'
import { openInbox } from '../inbox/open-inbox.ts'
import { openLedger } from '../usage/open-ledger.ts'
import { addControllers } from './add-controllers.ts'
import { grpcPart } from './grpc-part.ts'
import { httpPart } from './http-part.ts'
import { migrationPart } from './migration-part.ts'
import { reloadTrigger } from './reload-trigger.ts'

/**
 * Runs the control plane and returns its exit code. It migrates the schema, and runs the controllers if they are
 * enabled.
 */
export function runControlPlane(effects: ProcessEffects): Promise<number> {
  return runProcess(
    {
      name: 'control plane',
      service: 'agents-control-plane',
      version: manifest.version,
      settings: controlPlane,
      rules: controlPlaneRules,
      known: { prefix: 'JANGAR_', settings: everySetting },
      startFields: ({ migrations, agents, supporting, leaderElection }) => ({
        migrations: migrations.mode,
        controllers: agents.enabled || supporting.enabled,
        leaderElection: leaderElection.enabled,
      }),
      serve,
    },
    effects,
  )
}

async function serve({ config, ...ports }: ServicePorts<ControlPlaneConfig>): Promise<void> {
  const database = await openOwnDatabase(config, ports.log)
  const archive = await openArchive(config, ports.log)
  const { reader, audit, deliveries, sessions } = await openStores(config, ports.log)
  const inbox = config.agents.enabled ? await openInbox(config, ports.log) : undefined
  const usage = await openLedger(config, ports.log)
  try {
    await serveCluster({ ...config, podNamespace: config.pod.namespace }, ports, {
      userAgent: 'agents-control-plane',
      readiness: database?.readiness ?? {},
      stopTrigger: (client) => reloadTrigger(config, client, ports.log),
      addParts: (manager, cluster) => {
        if (database?.migrations) manager.add('servers', database.migrations)
        let opened: OpenApi | undefined
        if (config.grpc.enabled) {
          const callRoute = () => opened?.callRoute
          manager.add('servers', grpcPart(config, cluster, database?.check, callRoute))
        }
        if (config.api.enabled) {
          const stores = { archive: reader?.runs, audit, deliveries }
          const onOpen = (api: OpenApi): void => {
            opened = api
          }
          const databases = { inbox: database?.db, sessions, check: database?.check }
          manager.add('servers', httpPart(config, cluster, stores, databases, onOpen))
        }
        if (database) {
          const { archiveRetention: retention } = config
          manager.add('servers', retentionPart({ ...cluster, db: database.db, retention }))
        }
        const kept = { archive: archive?.keep, inbox: inbox?.reader, ledger: usage?.ledger }
        addControllers(manager, { ...cluster, config, sharesInformers: false, ...kept })
      },
    })
  } finally {
    await audit?.close()
    await deliveries?.close()
    await reader?.close()
    await sessions?.destroy()
    await archive?.close()
    await inbox?.close()
    await usage?.close()
    await database?.close()
  }
}

/** Each request of a browser asks for its session. */
const longestSessionQueryMs = 5_000

/** What the HTTP API reads and writes. Nothing if there is no API or no database. */
async function openStores({ api, oidc, database }: ControlPlaneConfig, log: Logger) {
  const { url, ...tls } = database
  if (!api.enabled || url === undefined) return {}
  const config = { url, ...tls }
  return {
    reader: await openReader(config, log),
    audit: await openAudit(config, log, systemClock),
    deliveries: await openDeliveries(config, log),
    sessions:
      oidc.issuerUrl === undefined
        ? undefined
        : await openDatabase(config, log, { queryTimeoutMs: longestSessionQueryMs }),
  }
}

/** Opens the database, which is migrated first unless that is skipped. Undefined if there is none. */
async function openOwnDatabase({ database, migrations }: ControlPlaneConfig, log: Logger) {
  const { url, ...tls } = database
  if (url === undefined) {
    log.warn('DATABASE_URL is not set: finished runs are not archived')
    return undefined
  }
  const db = await openDatabase({ url, ...tls }, log)
  const part = migrations.mode === 'auto' ? migrationPart(db, log) : undefined
  if (part === undefined) log.warn('database migrations skipped', { migrations: 'skip' })
  const check = async (): Promise<void> => void (await sql`select 1`.execute(db))
  return {
    ...{ db, check, close: () => db.destroy() },
    migrations: part,
    readiness: { database: check, ...(part && { migrations: part.check }) },
  }
}
