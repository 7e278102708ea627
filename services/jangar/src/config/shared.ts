import { flag, port, text } from '@agents/config'
import { logSettings, metricsSettings } from '@agents/process'
import { tracingSettings } from '@agents/tracing'
import { configReload } from './config-reload.ts'

/** Settings of every process of the service. */
export const shared = {
  log: logSettings('JANGAR'),
  http: {
    host: text('JANGAR_HTTP_HOST', {
      doc: 'The address to listen on for HTTP, probes and metrics. If unset, all addresses.',
      optional: true,
    }),
    port: port('PORT', {
      doc: 'The port for HTTP, probes and metrics.',
      chart: 'env.vars.PORT',
      fallback: 8080,
    }),
  },
  metrics: metricsSettings('JANGAR'),
  pod: {
    namespace: text('JANGAR_POD_NAMESPACE', {
      doc: 'Namespace of the pod. The chart sets it from the pod.',
      optional: true,
    }),
    serviceAccount: text('JANGAR_SERVICE_ACCOUNT_NAME', {
      doc: 'Service account of the pod.',
      chart: 'serviceAccount.name',
      optional: true,
    }),
    image: text('JANGAR_IMAGE', {
      doc: 'Image of the pod, also used for containers of the platform in pods of runs.',
      optional: true,
    }),
  },
  clusterScoped: flag('JANGAR_RBAC_CLUSTER_SCOPED', {
    doc: 'Whether the service account may access all namespaces, which watching "*" needs.',
    chart: 'rbac.clusterScoped',
    fallback: false,
  }),
  configReload,
  tracing: tracingSettings,
}
