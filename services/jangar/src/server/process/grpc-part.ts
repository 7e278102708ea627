import type { HealthCheck, Runnable } from '@agents/controller'
import manifest from '../../../package.json' with { type: 'json' }
import type { ControlPlaneConfig } from '../../config/control-plane.ts'
import type { GrpcWorld } from '../grpc/create-grpc-server.ts'
import { type ClusterWorld, electionLease } from './cluster-process.ts'

/** gRPC as a part of the control plane. Its code is loaded when it starts: who switches it off does not pay for it. */
export function grpcPart(
  config: ControlPlaneConfig,
  world: ClusterWorld,
  database: HealthCheck | undefined,
): Runnable {
  let serving: Runnable | undefined
  return {
    name: 'gRPC server',
    start: async () => {
      const { createGrpcServer } = await import('../grpc/create-grpc-server.ts')
      const server = createGrpcServer(grpcWorld(config, world, database))
      await server.start()
      world.log.info('gRPC listens', { address: server.address })
      serving = server
    },
    run: async (signal) => serving?.run(signal),
  }
}

function grpcWorld(
  config: ControlPlaneConfig,
  { client, informers, readiness, stopping, log, clock, tracer }: ClusterWorld,
  database: HealthCheck | undefined,
): GrpcWorld {
  const { grpc, build, agents } = config
  return {
    config: grpc,
    info: { version: manifest.version, buildSha: build.sha, buildTime: build.time },
    status: {
      client,
      lease: electionLease(config, client),
      runsControllers: agents.enabled,
      namespaces: agents.namespaces,
      cachesFilled: () => informers.all().every((informer) => informer.hasSynced()),
      database,
    },
    readiness,
    stopping,
    log,
    clock,
    tracer,
  }
}
