import { type ProcessEffects, runProcess, serveCluster } from '@agents/process'
import manifest from '../../../package.json' with { type: 'json' }
import { controllers, controllersRules } from '../../config/controllers.ts'
import { everySetting } from '../../config/every-setting.ts'
import { openArchive } from '../archive/open-archive.ts'
import { openInbox } from '../inbox/open-inbox.ts'
import { openLedger } from '../usage/open-ledger.ts'
import { addControllers } from './add-controllers.ts'
import { reloadTrigger } from './reload-trigger.ts'

/** Runs the controllers process and returns its exit code. */
export function runControllers(effects: ProcessEffects): Promise<number> {
  return runProcess(
    {
      name: 'controllers',
      service: 'agents-controllers',
      version: manifest.version,
      settings: controllers,
      rules: controllersRules,
      known: { prefix: 'JANGAR_', settings: everySetting },
      startFields: ({ migrations, agents, leaderElection, database }) => ({
        migrations: migrations.mode,
        namespaces: agents.namespaces,
        leaderElection: leaderElection.enabled,
        archive: database.url === undefined ? 'off: DATABASE_URL is not set' : 'on',
      }),
      serve: async ({ config, ...ports }) => {
        const archive = await openArchive(config, ports.log)
        const inbox = await openInbox(config, ports.log)
        const usage = await openLedger(config, ports.log)
        try {
          await serveCluster({ ...config, podNamespace: config.pod.namespace }, ports, {
            userAgent: 'agents-controllers',
            stopTrigger: (client) => reloadTrigger(config, client, ports.log),
            addParts: (manager, cluster) =>
              addControllers(manager, {
                ...cluster,
                config,
                sharesInformers: false,
                archive: archive?.keep,
                inbox: inbox?.reader,
                ledger: usage?.ledger,
              }),
          })
        } finally {
          await archive?.close()
          await inbox?.close()
          await usage?.close()
        }
      },
    },
    effects,
  )
}
