import { type ConfigOf, type ConfigRule, flag, list, port, text } from '@agents/config'
import {
  leaderElectionRules,
  leaderElectionSettings,
  logSettings,
  metricsSettings,
} from '@agents/process'
import { tracingSettings } from '@agents/tracing'
import { auditWebhook, auditWebhookRules } from './audit-webhook.ts'

const election = { prefix: 'GITTARGET_LEADER_ELECTION', leaseName: 'gittarget-leader' }
const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The settings of the gittarget process. */
export const operator = {
  log: logSettings('GITTARGET'),
  http: {
    host: text('GITTARGET_HTTP_HOST', {
      doc: 'Address to listen on for probes and metrics. If unset, all addresses.',
      optional: true,
    }),
    port: port('GITTARGET_PORT', {
      doc: 'Port for probes and metrics.',
      chart: 'gitTargetController.env.vars.GITTARGET_PORT',
      fallback: 8080,
    }),
  },
  metrics: metricsSettings('GITTARGET'),
  podNamespace: text('GITTARGET_POD_NAMESPACE', {
    doc: "Namespace of the pod. The chart sets it from the pod's metadata.",
    optional: true,
  }),
  namespaces: list('GITTARGET_NAMESPACES', {
    doc: 'Namespaces whose GitProviders, GitTargets and WatchRules are reconciled; * means all.',
    chart: 'gitTargetController.namespaces',
    fallback: ['*'],
    checkEach: (name) =>
      name === '*' || dnsLabel.test(name)
        ? undefined
        : 'a namespace name consists of at most 63 lower-case letters, digits and hyphens',
  }),
  tracing: tracingSettings,
  stateDir: text('GITTARGET_STATE_DIR', {
    doc: 'Directory for local copies of repositories and journals of deletions. Must not be shared. Its content can be recreated; pending deletions are also in the status of GitTargets.',
    fallback: '/var/lib/gittarget',
  }),
  allowFileRepositories: flag('GITTARGET_ALLOW_FILE_REPOSITORIES', {
    doc: "Whether GitProviders may use repositories on the operator's own machine, with file:// URLs or http:// URLs of a loopback address. For tests.",
    fallback: false,
  }),
  auditWebhook,
  leaderElection: leaderElectionSettings(election),
}

type OperatorConfig = ConfigOf<typeof operator>

export const operatorRules: readonly ConfigRule<OperatorConfig>[] = [
  ...leaderElectionRules(election),
  ...auditWebhookRules,
]
