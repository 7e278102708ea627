import { flag, oneOf, text } from '@agents/config'
import type { tracingSettings } from '@agents/tracing'

/** The settings that every service has. */
export type FrameSettings = {
  readonly log: ReturnType<typeof logSettings>
  readonly tracing: typeof tracingSettings
}

/** The level and the format of the log: `<prefix>_LOG_LEVEL`, `<prefix>_LOG_FORMAT`. */
export function logSettings(prefix: string) {
  return {
    level: oneOf(`${prefix}_LOG_LEVEL`, ['debug', 'info', 'warn', 'error'], {
      doc: 'Lowest level that is logged.',
      chart: 'logging.level',
      aliases: { warning: 'warn' },
      fallback: 'info',
    }),
    format: oneOf(`${prefix}_LOG_FORMAT`, ['auto', 'json', 'pretty'], {
      doc: 'Format of log lines. auto means pretty at a terminal and json elsewhere.',
      chart: 'logging.format',
      fallback: 'auto',
    }),
  }
}

export type MetricsSettings = ReturnType<typeof metricsSettings>

/** Whether and where Prometheus metrics are served: `<prefix>_PROMETHEUS_METRICS_*`. */
export function metricsSettings(prefix: string) {
  return {
    enabled: flag(`${prefix}_PROMETHEUS_METRICS_ENABLED`, {
      doc: 'Whether Prometheus metrics are served.',
      chart: 'metrics.enabled',
      fallback: true,
    }),
    path: text(`${prefix}_PROMETHEUS_METRICS_PATH`, {
      doc: 'Path of the metrics.',
      chart: 'metrics.path',
      fallback: '/metrics',
      expected: 'a path that starts with /',
      check: (path) => (path.startsWith('/') ? undefined : 'it does not start with /'),
    }),
  }
}
