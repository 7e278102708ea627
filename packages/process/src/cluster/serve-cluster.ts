import type { ConfigOf } from '@agents/config'
import {
  type Clock,
  createMetrics,
  type HealthCheck,
  informerCheck,
  Manager,
  type Metrics,
  ProbeServer,
  type Runnable,
  systemClock,
} from '@agents/controller'
import {
  type Connection,
  createInformers,
  createKubeClient,
  type Informers,
  type KubeClient,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { exportCounters, type Tracer } from '@agents/tracing'
import { connect } from '../connect.ts'
import type { ServicePorts } from '../run-process.ts'
import type { MetricsSettings } from '../settings/frame-settings.ts'
import { type ElectionConfig, openElection } from './election.ts'
import { informerBackoff } from './informer-backoff.ts'

interface ClusterConfig extends ElectionConfig {
  /** The address of the probe server. */
  readonly http: { readonly host: string | undefined; readonly port: number }
  readonly metrics: ConfigOf<MetricsSettings>
}

/** The dependencies of the parts of a service that works on a cluster. */
export interface ClusterPorts {
  readonly connection: Connection
  readonly client: KubeClient
  readonly informers: Informers
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: Metrics | undefined
  readonly tracer: Tracer
  /** Identifies this replica in the source of events. */
  readonly instance: string
  /** The checks behind `/readyz`. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Aborted when the process has to end, before any part is stopped. */
  readonly stopping: AbortSignal
}

/** A part that can end the process by itself, as a changed configuration does. */
export interface StopTrigger extends Runnable {
  /** Aborted when the process has to end. */
  readonly signal: AbortSignal
  /** Fails once the process is about to end. */
  readonly check: HealthCheck
  /** The timeout for all parts to stop, if the process has such a trigger. */
  readonly shutdownMs: number
}

interface ClusterService {
  /** The user agent of all requests; also the field manager. */
  readonly userAgent: string
  /** Readiness checks beside that of the caches. */
  readonly readiness?: Readonly<Record<string, HealthCheck>>
  readonly stopTrigger?: (client: KubeClient) => StopTrigger | undefined
  /** Adds the parts that are particular to the service. */
  readonly addParts: (manager: Manager, ports: ClusterPorts) => Promise<void> | void
}

/** Runs a service that works on a cluster: client, caches, probes, metrics and leader election around its own parts. */
export async function serveCluster(
  config: ClusterConfig,
  { effects, log, tracing }: Omit<ServicePorts<unknown>, 'config'>,
  service: ClusterService,
): Promise<void> {
  const { userAgent, readiness = {} } = service
  const { identity } = effects
  const metrics = config.metrics.enabled ? createMetrics() : undefined
  for (const counter of exportCounters(tracing)) metrics?.counter(counter)
  const connection = await connect(effects)
  const client = createKubeClient(connection, {
    userAgent,
    fieldManager: userAgent,
    ...(metrics && { onRequest: (outcome) => metrics.onRequest(outcome) }),
  })
  const informers = createInformers(client, { backoff: informerBackoff })
  try {
    const election = openElection(config, { client, identity, log, metrics })
    const trigger = service.stopTrigger?.(client)
    const manager = new Manager({
      log,
      ...(election && { election }),
      ...(trigger && { shutdownMs: trigger.shutdownMs }),
    })
    const checks = {
      caches: informerCheck(informers),
      ...readiness,
      ...(trigger && { [trigger.name]: trigger.check }),
    }
    manager.add('servers', probeServer(config, checks, log, metrics, effects.onListening))
    if (trigger) manager.add('servers', trigger)
    const stopping = trigger ? AbortSignal.any([effects.stop, trigger.signal]) : effects.stop
    await service.addParts(manager, {
      ...{
        connection,
        client,
        informers,
        log,
        metrics,
        clock: systemClock,
        tracer: tracing.tracer,
      },
      instance: identity,
      readiness: checks,
      stopping,
    })
    await manager.run(stopping)
  } finally {
    // A process that is stopped before its caches have started has informers that are still filling.
    await informers.stop()
    client.close()
  }
}

function probeServer(
  { http: { host, port }, metrics: { path: metricsPath } }: ClusterConfig,
  readiness: Readonly<Record<string, HealthCheck>>,
  log: Logger,
  metrics: Metrics | undefined,
  onListening: ((port: number) => void) | undefined,
): Runnable {
  const server = new ProbeServer({
    port,
    ...(host !== undefined && { host }),
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
