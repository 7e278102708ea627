import type { ConfigOf } from '@agents/config'
import {
  createMetrics,
  type HealthCheck,
  informerCheck,
  LeaderElector,
  Manager,
  type Metrics,
  ProbeServer,
  type Runnable,
  systemClock,
} from '@agents/controller'
import { createInformers, createKubeClient, type Informers, type KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { exportCounters, type Tracer, type Tracing } from '@agents/tracing'
import type { leaderElection } from '../../config/leader-election.ts'
import type { shared } from '../../config/shared.ts'
import { type ConfigReload, createConfigReload } from '../config-reload/config-reload.ts'
import type { ControllersWorld } from './add-controllers.ts'
import { connect } from './connect.ts'
import type { ProcessEffects } from './process-effects.ts'

type ClusterConfig = ConfigOf<typeof shared> & {
  readonly leaderElection: ConfigOf<typeof leaderElection>
}

export interface ClusterWorld extends Omit<ControllersWorld, 'config'> {
  readonly tracer: Tracer
  /** Of the whole process: what `/readyz` asks. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Comes when the process is to end, before any part of it is asked to. */
  readonly stopping: AbortSignal
}

export interface ClusterProcess {
  readonly userAgent: string
  readonly tracing: Tracing
  /** Beside that the caches are filled. */
  readonly readiness?: Readonly<Record<string, HealthCheck>>
  /** Adds what is particular to the process. */
  readonly addParts: (manager: Manager, world: ClusterWorld) => void
}

/** A process that works on a cluster: client, caches, probes, metrics and, unless switched off, an election. */
export async function serveCluster(
  config: ClusterConfig,
  effects: ProcessEffects,
  log: Logger,
  { userAgent, tracing, readiness = {}, addParts }: ClusterProcess,
): Promise<void> {
  const metrics = config.metrics.enabled ? createMetrics() : undefined
  for (const counter of exportCounters(tracing)) metrics?.counter(counter)
  const client = createKubeClient(await connect(effects), {
    userAgent,
    fieldManager: userAgent,
    ...(metrics && { onRequest: (outcome) => metrics.onRequest(outcome) }),
  })
  const informers = createInformers(client, { backoff: patience })
  const election = electionOf(config, client, effects, log, metrics)
  const reload = reloadOf(config, client, log)
  const shutdownMs = reload && config.configReload.drainTimeoutMs
  const manager = new Manager({
    log,
    ...(election && { election }),
    ...(shutdownMs && { shutdownMs }),
  })
  const checks = {
    caches: informerCheck(informers),
    ...readiness,
    ...(reload && { configuration: reload.check }),
  }
  manager.add('servers', probes(config, checks, log, metrics, effects.onListening))
  if (reload) manager.add('servers', reload)
  const stopping = reload ? AbortSignal.any([effects.stop, reload.signal]) : effects.stop
  const { tracer } = tracing
  const world = worldOf(client, informers, log, metrics, effects)
  addParts(manager, { ...world, tracer, readiness: checks, stopping })
  try {
    await manager.run(stopping)
  } finally {
    // Whoever is asked to stop before it has started has caches that fill all the same.
    await informers.stop()
    client.close()
  }
}

function worldOf(
  client: KubeClient,
  informers: Informers,
  log: Logger,
  metrics: Metrics | undefined,
  { identity }: ProcessEffects,
): Omit<ControllersWorld, 'config'> {
  const clock = systemClock
  return { client, informers, sharesInformers: false, log, clock, metrics, instance: identity }
}

/** Kinds that are installed later should be found soon after. */
const patience = { baseMs: 500, maxMs: 5_000, resetAfterMs: 120_000 }

function probes(
  { http, metrics: { path: metricsPath } }: ClusterConfig,
  readiness: Readonly<Record<string, HealthCheck>>,
  log: Logger,
  metrics: Metrics | undefined,
  onListening: ((port: number) => void) | undefined,
): Runnable {
  const server = new ProbeServer({
    port: http.port,
    ...(http.host !== undefined && { host: http.host }),
    log,
    ...(metrics && { metrics, metricsPath }),
  })
  for (const [name, check] of Object.entries(readiness)) server.ready.set(name, check)
  return {
    name: server.name,
    start: async () => {
      await server.start()
      onListening?.(server.port)
    },
    run: (signal) => server.run(signal),
  }
}

function reloadOf(
  { configReload, pod }: ClusterConfig,
  client: KubeClient,
  log: Logger,
): ConfigReload | undefined {
  const namespace = pod.namespace ?? client.namespace
  const ports = { client, namespace, clock: systemClock, log, random: Math.random }
  return createConfigReload(configReload, ports)
}

/** The Lease that the leader holds; undefined where nobody is elected. */
export function electionLease(
  { leaderElection, pod }: Pick<ClusterConfig, 'leaderElection' | 'pod'>,
  client: Pick<KubeClient, 'namespace'>,
): { readonly namespace: string; readonly name: string } | undefined {
  const { enabled, leaseName, leaseNamespace } = leaderElection
  if (!enabled) return undefined
  return { namespace: leaseNamespace ?? pod.namespace ?? client.namespace, name: leaseName }
}

function electionOf(
  config: ClusterConfig,
  client: KubeClient,
  { identity }: ProcessEffects,
  log: Logger,
  metrics: Metrics | undefined,
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
    onNewLeader: (leader) => log.info('leader', { leader }),
    ...(metrics && { onStatus: metrics.leaderElection(lease.name) }),
  })
}
