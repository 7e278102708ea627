import { type ConfigOf, type ConfigRule, duration, flag, text } from '@agents/config'

interface LeaderElectionOptions {
  /** The prefix of the variables: `<prefix>_ENABLED` and so on. */
  readonly prefix: string
  /** The default name of the Lease. */
  readonly leaseName: string
  /** The Helm value that contains these settings. If omitted, the chart does not set them. */
  readonly chart?: string
}

type LeaderElectionSettings = ReturnType<typeof leaderElectionSettings>
export type LeaderElectionConfig = ConfigOf<LeaderElectionSettings>

/** The settings of leader election: one of several replicas is active, the others are on standby. */
export function leaderElectionSettings({ prefix, leaseName, chart }: LeaderElectionOptions) {
  const inChart = (name: string) => (chart === undefined ? {} : { chart: `${chart}.${name}` })
  const period = (name: string, value: string, fallback: number, doc: string) =>
    duration(`${prefix}_${name}_SECONDS`, {
      doc,
      ...inChart(value),
      bareUnit: 's',
      minMs: 1000,
      fallback,
    })
  return {
    enabled: flag(`${prefix}_ENABLED`, {
      doc: 'Whether replicas elect a leader. Disable it only for a single replica.',
      ...inChart('enabled'),
      fallback: true,
    }),
    leaseName: text(`${prefix}_LEASE_NAME`, {
      doc: 'The Lease that the leader holds.',
      fallback: leaseName,
    }),
    leaseNamespace: text(`${prefix}_LEASE_NAMESPACE`, {
      doc: 'The namespace of that Lease. If unset, defaults to that of the pod.',
      optional: true,
    }),
    leaseDurationMs: period(
      'LEASE_DURATION',
      'leaseDurationSeconds',
      15_000,
      'How long other replicas wait before they replace a leader that does not renew its Lease.',
    ),
    renewDeadlineMs: period(
      'RENEW_DEADLINE',
      'renewDeadlineSeconds',
      10_000,
      'How long a leader that cannot renew its Lease stays active.',
    ),
    retryPeriodMs: period(
      'RETRY_PERIOD',
      'retryPeriodSeconds',
      2000,
      'Delay between attempts to acquire or renew the Lease.',
    ),
  }
}

type Elects = { readonly leaderElection: LeaderElectionConfig }

/** A leader must have stepped down before another one may take over. */
export function leaderElectionRules({
  prefix,
  chart,
}: LeaderElectionOptions): readonly ConfigRule<Elects>[] {
  const duration = `${prefix}_LEASE_DURATION_SECONDS`
  const deadline = `${prefix}_RENEW_DEADLINE_SECONDS`
  const retry = `${prefix}_RETRY_PERIOD_SECONDS`
  const raise = (variable: string, value: string) =>
    `Lower it, or raise ${chart === undefined ? variable : `${chart}.${value}`}.`
  return [
    {
      about: [deadline, duration],
      expected: `less than ${duration}, or two replicas could lead at once`,
      fix: raise(duration, 'leaseDurationSeconds'),
      holds: ({ leaderElection: { renewDeadlineMs, leaseDurationMs } }) =>
        renewDeadlineMs < leaseDurationMs,
    },
    {
      about: [retry, deadline],
      expected: `less than ${deadline}, or one failed attempt loses the Lease`,
      fix: raise(deadline, 'renewDeadlineSeconds'),
      holds: ({ leaderElection: { retryPeriodMs, renewDeadlineMs } }) =>
        retryPeriodMs < renewDeadlineMs,
    },
  ]
}
