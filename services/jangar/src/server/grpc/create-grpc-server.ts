import type { ConfigOf } from '@agents/config'
import type { Clock, HealthCheck } from '@agents/controller'
import type { Logger } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import type { HandlerContext } from '@connectrpc/connect'
import type { grpc } from '../../config/grpc.ts'
import type { CertificateFiles } from '../http/certificate.ts'
import type { CallRoute } from '../http/route-caller.ts'
import { agentctlService, type ServerInfo } from './agentctl-service.ts'
import { callerMethods, serverMethods } from './caller-methods.ts'
import { Health } from './generated/grpc/health/v1/health_pb.ts'
import { AgentctlService } from './generated/proompteng/jangar/v1/agentctl_pb.ts'
import { GrpcServer } from './grpc-server.ts'
import { healthService } from './health-service.ts'
import { createReadiness } from './readiness.ts'
import { rpcHandler } from './rpc-handler.ts'
import type { StatusPorts } from './status/control-plane-status.ts'
import { closedGate, isLoopback, tokenGate } from './token-gate.ts'
import { traceCalls } from './trace-calls.ts'

export interface GrpcPorts {
  readonly config: Omit<ConfigOf<typeof grpc>, 'enabled' | 'tls'>
  /** If omitted, the server does not use TLS. */
  readonly tls?: CertificateFiles | undefined
  /** The operations of the HTTP API. Undefined while it is not open. */
  readonly callRoute?: () => CallRoute | undefined
  readonly info: ServerInfo
  readonly status: Omit<StatusPorts, 'address' | 'log' | 'clock'>
  /** The same checks as those of `/readyz`. */
  readonly readiness: Readonly<Record<string, HealthCheck>>
  /** Aborted when the process starts to shut down. */
  readonly stopping: AbortSignal
  readonly log: Logger
  readonly clock: Clock
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer
  /** Time limit for running calls during shutdown. Default 10 s, well within the shutdown timeout of the process. */
  readonly drainMs?: number
}

/** Serves all services of the control plane on one port. */
export function createGrpcServer(ports: GrpcPorts): GrpcServer {
  const { config, info, log, clock, stopping, drainMs = 10_000 } = ports
  const closing = new AbortController()
  const readiness = createReadiness({ checks: ports.readiness, stopping, log, clock })
  const services = [Health.typeName, AgentctlService.typeName]
  const status = { ...ports.status, address: () => server.address, log, clock }
  const gate = gateOf(config, log)
  const methods = callerMethods({
    callRoute: ports.callRoute ?? (() => undefined),
    refusal: ports.tls === undefined && !isLoopback(config.host) ? withoutTls : undefined,
  })
  const handler = rpcHandler(
    (router) => {
      router.service(Health, healthService({ services, readiness, closing: closing.signal }))
      router.service(
        AgentctlService,
        { ...agentctlService(info, status), ...methods },
        { requestGate: (context) => (isOfServer(context) ? gate?.(context) : undefined) },
      )
    },
    log,
    traceCalls(ports.tracer ?? noTracer, [Health.typeName]),
  )
  const server: GrpcServer = new GrpcServer({
    host: config.host,
    port: config.port,
    tls: ports.tls,
    handler,
    onStop: () => closing.abort(),
    drainMs,
    log,
    clock,
  })
  return server
}

const withoutTls =
  'gRPC is served without TLS, so it takes no tokens of the cluster; set JANGAR_GRPC_TLS (grpc.tls of the chart)'

/** Whether the token of the server decides, not that of a caller. */
function isOfServer({ method }: HandlerContext): boolean {
  return serverMethods.some((name) => name === method.localName)
}

/** Without a token, only local processes may call. Health checks are open to all. */
function gateOf({ token, host }: GrpcPorts['config'], log: Logger) {
  if (token !== undefined) return tokenGate(token)
  if (isLoopback(host)) {
    log.warn('JANGAR_GRPC_TOKEN is not set: any process on this machine can call gRPC')
    return undefined
  }
  log.warn(
    'JANGAR_GRPC_TOKEN is not set: gRPC accepts only health checks on an address that is not loopback',
    { host },
  )
  return closedGate
}
