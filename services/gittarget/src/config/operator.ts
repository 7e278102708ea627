import {
  type ConfigOf,
  type ConfigRule,
  duration,
  flag,
  list,
  oneOf,
  port,
  text,
} from '@agents/config'
import { tracingSettings } from '@agents/tracing'

const ELECTION = 'GITTARGET_LEADER_ELECTION'
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** The settings of the gittarget process. */
export const operator = {
  log: {
    level: oneOf('GITTARGET_LOG_LEVEL', ['debug', 'info', 'warn', 'error'], {
      doc: 'The least important lines that are logged.',
      chart: 'logging.level',
      aliases: { warning: 'warn' },
      fallback: 'info',
    }),
    format: oneOf('GITTARGET_LOG_FORMAT', ['auto', 'json', 'pretty'], {
      doc: 'JSON lines, or lines for a person; auto is pretty at a terminal and JSON elsewhere.',
      chart: 'logging.format',
      fallback: 'auto',
    }),
  },
  http: {
    host: text('GITTARGET_HTTP_HOST', {
      doc: 'The address to listen on for probes and metrics. Not set: every address.',
      optional: true,
    }),
    port: port('GITTARGET_PORT', {
      doc: 'The port for probes and metrics.',
      fallback: 8080,
    }),
  },
  metrics: {
    enabled: flag('GITTARGET_PROMETHEUS_METRICS_ENABLED', {
      doc: 'Serve metrics for Prometheus.',
      chart: 'metrics.enabled',
      fallback: true,
    }),
    path: text('GITTARGET_PROMETHEUS_METRICS_PATH', {
      doc: 'The path that metrics are served at.',
      chart: 'metrics.path',
      fallback: '/metrics',
      expected: 'a path that starts with /',
      check: (path) => (path.startsWith('/') ? undefined : 'it does not'),
    }),
  },
  podNamespace: text('GITTARGET_POD_NAMESPACE', {
    doc: "The pod's own namespace. The chart takes it from the pod.",
    optional: true,
  }),
  namespaces: list('GITTARGET_NAMESPACES', {
    doc: 'The namespaces whose GitProviders, GitTargets and WatchRules are looked after; * is all.',
    fallback: ['*'],
    checkEach: (name) =>
      name === '*' || DNS_LABEL.test(name)
        ? undefined
        : 'a namespace has lower-case letters, digits and hyphens, 63 at most',
  }),
  tracing: tracingSettings,
  stateDir: text('GITTARGET_STATE_DIR', {
    doc: 'A directory of its own for copies of repositories. Nothing is lost with it.',
    fallback: '/var/lib/gittarget',
  }),
  allowFileRepositories: flag('GITTARGET_ALLOW_FILE_REPOSITORIES', {
    doc: "Whether GitProviders may name repositories of the process's own machine with file:// URLs, or with http:// URLs of a loopback address. For tests.",
    fallback: false,
  }),
  leaderElection: {
    enabled: flag(`${ELECTION}_ENABLED`, {
      doc: 'Whether replicas elect one that works. Off is for a single replica only.',
      fallback: true,
    }),
    leaseName: text(`${ELECTION}_LEASE_NAME`, {
      doc: 'The Lease that the leader holds.',
      fallback: 'gittarget-leader',
    }),
    leaseNamespace: text(`${ELECTION}_LEASE_NAMESPACE`, {
      doc: "The namespace of that Lease. Not set: the pod's own.",
      optional: true,
    }),
    leaseDurationMs: duration(`${ELECTION}_LEASE_DURATION_SECONDS`, {
      doc: 'How long the others wait for a leader that is silent.',
      bareUnit: 's',
      minMs: 1000,
      fallback: 15_000,
    }),
    renewDeadlineMs: duration(`${ELECTION}_RENEW_DEADLINE_SECONDS`, {
      doc: 'How long a leader that cannot renew its Lease goes on.',
      bareUnit: 's',
      minMs: 1000,
      fallback: 10_000,
    }),
    retryPeriodMs: duration(`${ELECTION}_RETRY_PERIOD_SECONDS`, {
      doc: 'The wait between two tries to take or renew the Lease.',
      bareUnit: 's',
      minMs: 1000,
      fallback: 2000,
    }),
  },
}

export type OperatorConfig = ConfigOf<typeof operator>

/** A leader must have stepped down before another may follow it. */
export const operatorRules: readonly ConfigRule<OperatorConfig>[] = [
  {
    about: [`${ELECTION}_RENEW_DEADLINE_SECONDS`, `${ELECTION}_LEASE_DURATION_SECONDS`],
    expected: `less than ${ELECTION}_LEASE_DURATION_SECONDS, or two replicas could lead at once`,
    fix: `Lower it, or raise ${ELECTION}_LEASE_DURATION_SECONDS.`,
    holds: ({ leaderElection: { renewDeadlineMs, leaseDurationMs } }) =>
      renewDeadlineMs < leaseDurationMs,
  },
  {
    about: [`${ELECTION}_RETRY_PERIOD_SECONDS`, `${ELECTION}_RENEW_DEADLINE_SECONDS`],
    expected: `less than ${ELECTION}_RENEW_DEADLINE_SECONDS, or one failed try loses the Lease`,
    fix: `Lower it, or raise ${ELECTION}_RENEW_DEADLINE_SECONDS.`,
    holds: ({ leaderElection: { retryPeriodMs, renewDeadlineMs } }) =>
      retryPeriodMs < renewDeadlineMs,
  },
]
