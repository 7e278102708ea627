import type { ConfigOf } from '@agents/config'
import type { Clock, HealthCheck } from '@agents/controller'
import type { Logger } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import type { grpc } from '../../config/grpc.ts'
import { agentctlService, type ServerInfo } from './agentctl-service.ts'
import { Health } from './generated/grpc/health/v1/health_pb.ts'
import { AgentctlService } from './generated/proompteng/jangar/v1/agentctl_pb.ts'
import { GrpcServer } from './grpc-server.ts'
import { healthService } from './health-service.ts'
import { createReadiness } from './readiness.ts'
import { rpcHandler } from './rpc-handler.ts'
import type { StatusPorts } from './status/control-plane-status.ts'
import { tokenGate } from './token-gate.ts'
import { traceCalls } from './trace-calls.ts'

export interface GrpcWorld {
  readonly config: Omit<ConfigOf<typeof grpc>, 'enabled'>
  readonly info: ServerInfo
  readonly status: Omit<StatusPorts, 'address' | 'log' | 'clock'>
  /** The same as of `/readyz`. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Asks the process to end, which takes a while. */
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  /** Not given: there are no traces. */
  readonly tracer?: Tracer
  /** For calls under way at the end. Default 10 s: well within what the process has for everything. */
  readonly drainMs?: number
}

/** Every service of the control plane, on one port. */
export function createGrpcServer(world: GrpcWorld): GrpcServer {
  const { config, info, log, clock, stopping, drainMs = 10_000 } = world
  const closing = new AbortController()
  const readiness = createReadiness({ checks: world.readiness, stopping, log, clock })
  const services = [Health.typeName, AgentctlService.typeName]
  const status = { ...world.status, address: () => server.address, log, clock }
  const gate = config.token === undefined ? {} : { requestGate: tokenGate(config.token) }
  if (config.token === undefined) {
    log.warn('gRPC is open to whoever reaches it: JANGAR_GRPC_TOKEN is not set')
  }
  const handler = rpcHandler(
    (router) => {
      router.service(Health, healthService({ services, readiness, closing: closing.signal }))
      router.service(AgentctlService, agentctlService(info, status), gate)
    },
    log,
    traceCalls(world.tracer ?? noTracer, [Health.typeName]),
  )
  const server: GrpcServer = new GrpcServer({
    host: config.host,
    port: config.port,
    handler,
    onStop: () => closing.abort(),
    drainMs,
    log,
    clock,
  })
  return server
}
