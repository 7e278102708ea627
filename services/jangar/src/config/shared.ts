import { flag, oneOf, port, text } from '@agents/config'
import { tracingSettings } from '@agents/tracing'
import { configReload } from './config-reload.ts'

/** What every process of the service reads. */
export const shared = {
  log: {
    level: oneOf('JANGAR_LOG_LEVEL', ['debug', 'info', 'warn', 'error'], {
      doc: 'The least important lines that are logged.',
      chart: 'logging.level',
      aliases: { warning: 'warn' },
      fallback: 'info',
    }),
    format: oneOf('JANGAR_LOG_FORMAT', ['auto', 'json', 'pretty'], {
      doc: 'JSON lines, or lines for a person; auto is pretty at a terminal and JSON elsewhere.',
      chart: 'logging.format',
      fallback: 'auto',
    }),
  },
  http: {
    host: text('JANGAR_HTTP_HOST', {
      doc: 'The address to listen on for HTTP, probes and metrics. Not set: every address.',
      optional: true,
    }),
    port: port('PORT', {
      doc: 'The port for HTTP, probes and metrics.',
      chart: 'env.vars.PORT',
      fallback: 8080,
    }),
  },
  metrics: {
    enabled: flag('JANGAR_PROMETHEUS_METRICS_ENABLED', {
      doc: 'Serve metrics for Prometheus.',
      chart: 'metrics.enabled',
      fallback: true,
    }),
    path: text('JANGAR_PROMETHEUS_METRICS_PATH', {
      doc: 'The path that metrics are served at.',
      chart: 'metrics.path',
      fallback: '/metrics',
      expected: 'a path that starts with /',
      check: (path) => (path.startsWith('/') ? undefined : 'it does not'),
    }),
  },
  pod: {
    namespace: text('JANGAR_POD_NAMESPACE', {
      doc: "The pod's own namespace. The chart takes it from the pod.",
      optional: true,
    }),
    serviceAccount: text('JANGAR_SERVICE_ACCOUNT_NAME', {
      doc: "The pod's own service account.",
      chart: 'serviceAccount.name',
      optional: true,
    }),
    image: text('JANGAR_IMAGE', {
      doc: "The pod's own image, for work that runs in the same one.",
      optional: true,
    }),
  },
  clusterScoped: flag('JANGAR_RBAC_CLUSTER_SCOPED', {
    doc: 'Whether the service account may act in every namespace; watching "*" needs it.',
    chart: 'rbac.clusterScoped',
    fallback: false,
  }),
  configReload,
  tracing: tracingSettings,
}
