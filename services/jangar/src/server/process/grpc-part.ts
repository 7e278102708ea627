import type { HealthCheck, Runnable } from '@agents/controller'
import type { ClusterPorts } from '@agents/process'
import manifest from '../../../package.json' with { type: 'json' }
import type { ControlPlaneConfig } from '../../config/control-plane.ts'
import type { GrpcPorts } from '../grpc/create-grpc-server.ts'
import type { CallRoute } from '../http/route-caller.ts'
import { statusPorts } from './status-ports.ts'

/** The gRPC server of the control plane. Its code is loaded when it starts, so that a disabled server costs nothing. */
export function grpcPart(
  config: ControlPlaneConfig,
  ports: ClusterPorts,
  database: HealthCheck | undefined,
  callRoute: () => CallRoute | undefined,
): Runnable {
  let serving: Runnable | undefined
  return {
    name: 'gRPC server',
    start: async () => {
      const { createGrpcServer } = await import('../grpc/create-grpc-server.ts')
      const server = createGrpcServer({
        ...grpcPorts(config, ports, database),
        callRoute,
      })
      await server.start()
      ports.log.info('gRPC server listening', { address: server.address })
      serving = server
    },
    run: async (signal) => serving?.run(signal),
  }
}

function grpcPorts(
  config: ControlPlaneConfig,
  { client, informers, readiness, stopping, log, clock, tracer }: ClusterPorts,
  database: HealthCheck | undefined,
): GrpcPorts {
  const { grpc, api, build } = config
  const { certificateFile: certificate, keyFile: key } = api
  const hasFiles = grpc.tls && certificate !== undefined && key !== undefined
  return {
    config: grpc,
    tls: hasFiles ? { certificate, key } : undefined,
    info: { version: manifest.version, buildSha: build.sha, buildTime: build.time },
    status: statusPorts(config, { client, informers }, database),
    readiness,
    stopping,
    log,
    clock,
    tracer,
  }
}
