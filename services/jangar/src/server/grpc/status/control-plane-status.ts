import type { Clock, HealthCheck } from '@agents/controller'
import { group, kinds } from '@agents/jangar-api'
import type { KubeClient, ObjectKey } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  ComponentStatus,
  type GetControlPlaneStatusResponseSchema,
} from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import { controllerStatus } from './controller-status.ts'
import { databaseStatus } from './database-status.ts'
import { readLeadership } from './leadership.ts'
import { namespaceStatus } from './namespace-status.ts'
import { runtimeAdapters } from './runtime-adapters.ts'
import { readServed } from './served-kinds.ts'

export interface StatusPorts {
  readonly client: Pick<KubeClient, 'get' | 'discovery'>
  /** Undefined if leader election is disabled. */
  readonly lease: ObjectKey | undefined
  /** Whether this process also runs the controllers. */
  readonly runsControllers: boolean
  /** The namespaces that are reconciled, by this or another process. */
  readonly namespaces: readonly string[]
  readonly cachesFilled: () => boolean
  /** Undefined if there is no database. */
  readonly database: HealthCheck | undefined
  readonly address: () => string
  readonly log: Logger
  readonly clock: Clock
}

export const serviceName = 'agents-control-plane'

/** Time limit for all requests. */
const timeoutMs = 5_000

/** The current status. Components whose status cannot be determined are reported as unknown, with the reason. */
export async function controlPlaneStatus(
  ports: StatusPorts,
  namespaces: readonly string[],
  caller: AbortSignal,
): Promise<MessageInitShape<typeof GetControlPlaneStatusResponseSchema>> {
  const { client, clock, log, lease } = ports
  const signal = AbortSignal.any([caller, AbortSignal.timeout(timeoutMs)])
  const [served, leadership, database] = await Promise.all([
    readServed(client, signal),
    lease && readLeadership(client, lease, clock, signal),
    databaseStatus(ports.database, { log, clock, signal }),
  ])
  const generatedAt = timestampFromDate(clock.now())
  const controller = controllerStatus({
    name: 'agents-controller',
    kinds: kinds.filter((kind) => kind.group === group.agents),
    isOwn: ports.runsControllers,
    leadership,
    cachesFilled: ports.cachesFilled(),
    served,
  })
  const adapters = runtimeAdapters(served, controller)
  const components = [controller, ...adapters, { name: 'database', status: database.status }]
  return {
    service: serviceName,
    generatedAt,
    controllers: [{ ...controller, lastCheckedAt: generatedAt }],
    runtimeAdapters: adapters,
    database,
    grpc: {
      enabled: true,
      address: ports.address(),
      status: ComponentStatus.HEALTHY,
      message: 'serving',
    },
    namespaces: namespaces.map((namespace) => namespaceStatus(namespace, components)),
  }
}
