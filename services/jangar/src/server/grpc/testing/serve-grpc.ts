import { type Clock, type HealthCheck, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { type Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { onTestFinished } from 'vitest'
import { createGrpcServer, type GrpcWorld } from '../create-grpc-server.ts'
import { Health } from '../generated/grpc/health/v1/health_pb.ts'
import { AgentctlService } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'

/** For what must come; a busy machine takes its time. */
export const patience = { timeout: 30_000 }

export interface GrpcChoice {
  readonly token?: string
  readonly readiness?: Readonly<Record<string, HealthCheck>>
  readonly clock?: Clock
  readonly drainMs?: number
  readonly tracer?: Tracer
}

/** A running server, clients of it and what it logs; it ends with the test. */
export async function serveGrpc(choice: GrpcChoice = {}) {
  const { token, readiness = {}, clock = hasty, drainMs = 60_000, tracer } = choice
  const lines: string[] = []
  const stopping = new AbortController()
  const world: GrpcWorld = {
    config: { host: '127.0.0.1', port: 0, token },
    info: { version: '1.2.3', buildSha: 'abc', buildTime: undefined },
    status: nothingKnown,
    readiness,
    stopping: stopping.signal,
    log: createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' }),
    clock,
    drainMs,
    ...(tracer && { tracer }),
  }
  const server = createGrpcServer(world)
  await server.start()
  const end = new AbortController()
  const running = server.run(end.signal)
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  onTestFinished(stop)
  const url = `http://${server.address}`
  const transport: Transport = createGrpcTransport({ baseUrl: url })
  return {
    url,
    world,
    lines,
    stopping,
    stop,
    health: createClient(Health, transport),
    agentctl: createClient(AgentctlService, transport),
  }
}

/** A hundred times faster, so that nobody waits for the next look. */
const hasty: Clock = {
  now: systemClock.now,
  elapsed: () => systemClock.elapsed() * 100,
  after: (milliseconds, action) => systemClock.after(milliseconds / 100, action),
}

const nothingKnown: GrpcWorld['status'] = {
  client: {
    get: () => Promise.reject(new Error('no cluster')),
    discovery: {
      resources: () => Promise.reject(new Error('no cluster')),
      supports: () => Promise.reject(new Error('no cluster')),
      version: () => Promise.reject(new Error('no cluster')),
      invalidate: () => undefined,
    },
  },
  lease: undefined,
  runsControllers: false,
  namespaces: ['agents'],
  cachesFilled: () => false,
  database: undefined,
}

/** The code of the error; undefined when there was none. */
export async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}
