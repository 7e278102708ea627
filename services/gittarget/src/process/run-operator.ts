import { type ProcessEffects, runProcess, serveCluster } from '@agents/process'
import manifest from '../../package.json' with { type: 'json' }
import type { AuditWebhookConfig } from '../config/audit-webhook.ts'
import { operator, operatorRules } from '../config/operator.ts'
import { addGitTarget } from './add-git-target.ts'

/** The gittarget process, from its environment to its exit code. */
export function runOperator(effects: ProcessEffects): Promise<number> {
  return runProcess(
    {
      name: 'gittarget',
      service: 'agents-gittarget',
      version: manifest.version,
      settings: operator,
      rules: operatorRules,
      known: { prefix: 'GITTARGET_', settings: operator },
      startFields: ({ namespaces }) => ({ namespaces }),
      serve: ({ config, ...ports }) =>
        serveCluster(config, ports, {
          userAgent: 'gittarget',
          addParts: async (manager, cluster) => {
            await addGitTarget(manager, {
              ...cluster,
              namespaces: config.namespaces,
              stateDir: config.stateDir,
              allowFile: config.allowFileRepositories,
              auditWebhook: auditEndpoint(config.auditWebhook),
              path: effects.environment.PATH ?? '/usr/local/bin:/usr/bin:/bin',
            })
          },
        }),
    },
    effects,
  )
}

function auditEndpoint({ enabled, certificateFile, keyFile, ...rest }: AuditWebhookConfig) {
  if (!enabled || certificateFile === undefined || keyFile === undefined) return undefined
  return { ...rest, certificateFile, keyFile }
}
