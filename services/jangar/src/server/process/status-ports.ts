import type { HealthCheck } from '@agents/controller'
import { type ClusterPorts, electionLease } from '@agents/process'
import type { ControlPlaneConfig } from '../../config/control-plane.ts'
import type { ControllersPlace } from '../cluster-checks/examined.ts'
import type { StatusPorts } from '../grpc/status/control-plane-status.ts'
import type { GrpcListener } from '../grpc/status/status-record.ts'
import type { StatusSettings } from '../http/status-reader.ts'

/** What the status of the control plane is read from. */
export function statusPorts(
  config: ControlPlaneConfig,
  { client, informers }: Pick<ClusterPorts, 'client' | 'informers'>,
  database: HealthCheck | undefined,
): Omit<StatusPorts, 'address' | 'log' | 'clock'> {
  const { agents } = config
  return {
    client,
    lease: electionLease({ ...config, podNamespace: config.pod.namespace }, client),
    runsControllers: agents.enabled,
    namespaces: agents.namespaces,
    cachesFilled: () => informers.all().every((informer) => informer.hasSynced()),
    database,
  }
}

/** Where the controllers run, as far as this process knows. */
export function controllersPlace(
  config: ControlPlaneConfig,
  client: Pick<ClusterPorts['client'], 'namespace'>,
): ControllersPlace {
  const lease = electionLease({ ...config, podNamespace: config.pod.namespace }, client)
  if (lease !== undefined) return { lease }
  return config.agents.enabled ? { pid: process.pid } : 'unelected'
}

/** The same status for the HTTP API. */
export function statusForApi(
  ports: Omit<StatusPorts, 'address'>,
  grpc: GrpcListener,
): StatusSettings {
  return {
    namespaces: ports.namespaces,
    read: async (namespace) => {
      // Loaded here: a process without gRPC does not load its messages until somebody asks.
      const { statusRecord } = await import('../grpc/status/status-record.ts')
      // Others may wait for the same answer, so that it does not end with one reader.
      return await statusRecord(ports, grpc, namespace, new AbortController().signal)
    },
  }
}
