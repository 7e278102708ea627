import { LeaderElector, type Metrics } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { LeaderElectionConfig } from '../settings/leader-election.ts'

export interface ElectionConfig {
  readonly leaderElection: LeaderElectionConfig
  /** If undefined, the namespace of the client. */
  readonly podNamespace: string | undefined
}

/** The Lease that the leader holds; undefined if leader election is off. */
export function electionLease(
  { leaderElection, podNamespace }: ElectionConfig,
  client: Pick<KubeClient, 'namespace'>,
): { readonly namespace: string; readonly name: string } | undefined {
  const { enabled, leaseName, leaseNamespace } = leaderElection
  if (!enabled) return undefined
  return { namespace: leaseNamespace ?? podNamespace ?? client.namespace, name: leaseName }
}

interface ElectionPorts {
  readonly client: KubeClient
  readonly identity: string
  readonly log: Logger
  readonly metrics: Metrics | undefined
}

/** The candidacy of this process; undefined if leader election is off. */
export function openElection(
  config: ElectionConfig,
  { client, identity, log, metrics }: ElectionPorts,
): LeaderElector | undefined {
  const lease = electionLease(config, client)
  if (lease === undefined) return undefined
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = config.leaderElection
  return new LeaderElector({
    client,
    lease,
    identity,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    log,
    onNewLeader: (leader) => log.info('new leader', { leader }),
    ...(metrics && { onStatus: metrics.leaderElection(lease.name) }),
  })
}
