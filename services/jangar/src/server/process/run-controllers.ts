import { everySetting } from '../../config/every-setting.ts'
import { openArchive } from '../archive/open-archive.ts'
import { addControllers } from './add-controllers.ts'
import { serveCluster } from './cluster-process.ts'
import { controllersConfig } from './controllers-config.ts'
import type { ProcessEffects } from './process-effects.ts'
import { runProcess } from './process-frame.ts'

/** The controllers process, from its environment to its exit code. */
export function runControllers(effects: ProcessEffects): Promise<number> {
  return runProcess(
    {
      name: 'the controllers process',
      service: 'agents-controllers',
      known: everySetting,
      readConfig: controllersConfig,
      introduction: ({ migrations, agents, leaderElection, database }) => ({
        migrations: migrations.mode,
        namespaces: agents.namespaces,
        leaderElection: leaderElection.enabled,
        archive: database.url === undefined ? 'off: DATABASE_URL is not set' : 'on',
      }),
      serve: async (config, _effects, log, tracing) => {
        const archive = await openArchive(config, log)
        try {
          await serveCluster(config, effects, log, {
            userAgent: 'agents-controllers',
            tracing,
            addParts: (manager, world) =>
              addControllers(manager, { ...world, config, archive: archive?.keep }),
          })
        } finally {
          await archive?.close()
        }
      },
    },
    effects,
  )
}
