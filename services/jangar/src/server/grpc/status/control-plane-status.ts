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
  /** Undefined where nobody is elected. */
  readonly lease: ObjectKey | undefined
  /** Whether this process runs the controllers too. */
  readonly runsControllers: boolean
  /** Those that are reconciled, here or elsewhere. */
  readonly namespaces: readonly string[]
  readonly cachesFilled: () => boolean
  /** Undefined where there is no database. */
  readonly database: HealthCheck | undefined
  readonly address: () => string
  readonly log: Logger
  readonly clock: Clock
}

export const serviceName = 'agents-control-plane'

/** For everything that has to be asked. */
const patienceMs = 5_000

/** What can be found out now; what cannot be is said to be unknown, with the reason. */
export async function controlPlaneStatus(
  ports: StatusPorts,
  namespaces: readonly string[],
  caller: AbortSignal,
): Promise<MessageInitShape<typeof GetControlPlaneStatusResponseSchema>> {
  const { client, clock, log, lease } = ports
  const signal = AbortSignal.any([caller, AbortSignal.timeout(patienceMs)])
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
      message: 'it answers',
    },
    namespaces: namespaces.map((namespace) => namespaceStatus(namespace, components)),
  }
}
