import { type ConfigOf, type ConfigRule, duration, flag, text } from '@agents/config'

const PREFIX = 'JANGAR_LEADER_ELECTION'
const CHART = 'controllers.leaderElection'

function period(name: string, chart: string, fallback: number, doc: string) {
  return duration(`${PREFIX}_${name}_SECONDS`, {
    doc,
    chart: `${CHART}.${chart}`,
    bareUnit: 's',
    minMs: 1000,
    fallback,
  })
}

/** Which of several replicas works; the others stand by. */
export const leaderElection = {
  enabled: flag(`${PREFIX}_ENABLED`, {
    doc: 'Whether replicas elect one that works. Off is for a single replica only.',
    chart: `${CHART}.enabled`,
    fallback: true,
  }),
  leaseName: text(`${PREFIX}_LEASE_NAME`, {
    doc: 'The Lease that the leader holds.',
    fallback: 'agents-controller-leader',
  }),
  leaseNamespace: text(`${PREFIX}_LEASE_NAMESPACE`, {
    doc: "The namespace of that Lease. Not set: the pod's own.",
    optional: true,
  }),
  leaseDurationMs: period(
    'LEASE_DURATION',
    'leaseDurationSeconds',
    15_000,
    'How long the others wait for a leader that is silent.',
  ),
  renewDeadlineMs: period(
    'RENEW_DEADLINE',
    'renewDeadlineSeconds',
    10_000,
    'How long a leader that cannot renew its Lease goes on.',
  ),
  retryPeriodMs: period(
    'RETRY_PERIOD',
    'retryPeriodSeconds',
    2000,
    'The wait between two tries to take or renew the Lease.',
  ),
}

type Elects = { readonly leaderElection: ConfigOf<typeof leaderElection> }

/** A leader must have stepped down before another may follow it. */
export const leaderElectionRules: readonly ConfigRule<Elects>[] = [
  {
    about: [`${PREFIX}_RENEW_DEADLINE_SECONDS`, `${PREFIX}_LEASE_DURATION_SECONDS`],
    expected: `less than ${PREFIX}_LEASE_DURATION_SECONDS, or two replicas could lead at once`,
    fix: `Lower it, or raise ${CHART}.leaseDurationSeconds.`,
    holds: ({ leaderElection: { renewDeadlineMs, leaseDurationMs } }) =>
      renewDeadlineMs < leaseDurationMs,
  },
  {
    about: [`${PREFIX}_RETRY_PERIOD_SECONDS`, `${PREFIX}_RENEW_DEADLINE_SECONDS`],
    expected: `less than ${PREFIX}_RENEW_DEADLINE_SECONDS, or one failed try loses the Lease`,
    fix: `Lower it, or raise ${CHART}.renewDeadlineSeconds.`,
    holds: ({ leaderElection: { retryPeriodMs, renewDeadlineMs } }) =>
      retryPeriodMs < renewDeadlineMs,
  },
]
