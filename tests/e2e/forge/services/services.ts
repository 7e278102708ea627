import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { openDatabase } from '../../../../services/jangar/src/server/db.ts'
import { migrate } from '../../../../services/jangar/src/server/kysely-migrations.ts'
import { type Gitea, startGitea } from '../../../support/gitea/gitea-server.ts'
import { startRunPlatform, unlimited } from '../../../support/run-platform/run-platform.ts'
import { writePrograms } from '../../security/run-programs.ts'

export interface ServiceAddresses {
  readonly kubeconfigPath: string
  readonly databaseUrl: string
}

/** What tests ask for, whichever process has started the services. */
export interface ServiceCalls {
  /** The URL of a real Gitea, which is started by the first call. */
  gitea(): Promise<string>
  /** A new token of a user, who is created by the first call. */
  giteaUser(...args: Parameters<Gitea['user']>): Promise<string>
  killGitea(): Promise<void>
  startGitea(): Promise<void>
  killControllers(): Promise<void>
  startControllers(): Promise<void>
}

export interface RunningServices {
  readonly addresses: ServiceAddresses
  readonly calls: ServiceCalls
  readonly postgres: LocalPostgres
  stop(): Promise<void>
}

/** The namespaces of all files. */
const everywhere = {
  JANGAR_RBAC_CLUSTER_SCOPED: 'true',
  ...Object.fromEntries(
    ['AGENTS_CONTROLLER', 'ORCHESTRATION_CONTROLLER', 'SUPPORTING_CONTROLLER', 'PRIMITIVES'].map(
      (watcher) => [`JANGAR_${watcher}_NAMESPACES`, '*'],
    ),
  ),
}

/**
 * A database, a platform that takes webhooks and has the programs of the image, and a Gitea. Tests have a namespace
 * and a repository each.
 */
export async function startServices(env: NodeJS.ProcessEnv): Promise<RunningServices> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-forge-'))
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one()
  }
  const started = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting
    stops.push(one.stop)
    return one
  }
  // The users of pods run the programs.
  await chmod(folder, 0o755)
  const programs = await writePrograms(join(folder, 'bin'))
  const starting = [
    started(startDatabase(join(folder, 'postgres'))),
    started(startRunPlatform('embedded')),
  ] as const
  try {
    const [postgres, platform] = await Promise.all(starting)
    const settings = {
      ...unlimited,
      ...{ JANGAR_WEBHOOKS_ENABLED: 'true', DATABASE_URL: postgres.url, PGSSLMODE: 'disable' },
      JANGAR_AGENTS_CONTROLLER_WEBHOOK_RETRY_BASE_DELAY_SECONDS: '200ms',
      ...everywhere,
    }
    let [controllers] = await Promise.all([
      platform.startControllers(settings),
      platform.startNode([], programs),
    ])
    let forge: Promise<Gitea> | undefined
    const gitea = async (): Promise<Gitea> => {
      forge ??= started(startGitea(env)).then(async (running) => {
        await running.user('owner', { admin: true })
        return running
      })
      return forge
    }
    return {
      addresses: { kubeconfigPath: platform.kubeconfigPath, databaseUrl: postgres.url },
      calls: {
        gitea: async () => (await gitea()).url,
        giteaUser: async (...args) => (await gitea()).user(...args),
        killGitea: async () => (await gitea()).kill(),
        startGitea: async () => (await gitea()).start(),
        killControllers: () => controllers.kill(),
        startControllers: async () => {
          controllers = await platform.startControllers(settings)
        },
      },
      postgres,
      stop,
    }
  } catch (error) {
    await Promise.allSettled(starting)
    await stop()
    throw error
  }
}

async function startDatabase(directory: string): Promise<LocalPostgres> {
  const postgres = await startPostgres({ directory, log: silentLogger })
  const db = await openDatabase(databaseAt(postgres.url), silentLogger)
  await migrate(db, silentLogger)
  await db.destroy()
  return postgres
}

export function databaseAt(url: string) {
  return { url, sslMode: 'disable', sslRootCert: undefined } as const
}
