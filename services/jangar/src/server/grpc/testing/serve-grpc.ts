import { type Clock, type HealthCheck, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import { type Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { onTestFinished } from 'vitest'
import type { CertificateFiles } from '../../http/certificate.ts'
import { createGrpcServer, type GrpcPorts } from '../create-grpc-server.ts'
import { Health } from '../generated/grpc/health/v1/health_pb.ts'
import { AgentctlService } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'

/** Generous, for slow machines. */
export const pollOptions = { timeout: 30_000 }

interface GrpcChoice {
  /** If omitted, 127.0.0.1. */
  readonly host?: string
  readonly token?: string
  readonly readiness?: Readonly<Record<string, HealthCheck>>
  readonly clock?: Clock
  readonly drainMs?: number
  readonly tracer?: Tracer
  readonly callRoute?: NonNullable<GrpcPorts['callRoute']>
  /** With the authority that clients trust. */
  readonly tls?: CertificateFiles & { readonly ca: string }
}

/** A running server with clients and its log lines. It stops when the test finishes. */
export async function serveGrpc(choice: GrpcChoice = {}) {
  const {
    host = '127.0.0.1',
    token,
    readiness = {},
    clock = hasty,
    drainMs = 60_000,
    tracer,
    callRoute,
    tls,
  } = choice
  const lines: string[] = []
  const stopping = new AbortController()
  const ports: GrpcPorts = {
    config: { host, port: 0, token },
    info: { version: '1.2.3', buildSha: 'abc', buildTime: undefined },
    status: nothingKnown,
    readiness,
    stopping: stopping.signal,
    log: createLogger({ sink: { write: (line) => lines.push(line) }, level: 'debug' }),
    clock,
    drainMs,
    ...(tracer && { tracer }),
    ...(callRoute && { callRoute }),
    tls,
  }
  const server = createGrpcServer(ports)
  await server.start()
  const end = new AbortController()
  const running = server.run(end.signal)
  const stop = async (): Promise<void> => {
    end.abort()
    await running
  }
  onTestFinished(stop)
  const url = `${tls ? 'https' : 'http'}://${host === '0.0.0.0' ? '127.0.0.1' : host}:${server.port}`
  const transport: Transport = createGrpcTransport({
    baseUrl: url,
    ...(tls && { nodeOptions: { ca: tls.ca } }),
  })
  return {
    url,
    ports,
    lines,
    stopping,
    stop,
    health: createClient(Health, transport),
    agentctl: createClient(AgentctlService, transport),
  }
}

/** Runs a hundred times faster, so that tests do not wait for intervals. */
const hasty: Clock = {
  now: systemClock.now,
  elapsed: () => systemClock.elapsed() * 100,
  after: (milliseconds, action) => systemClock.after(milliseconds / 100, action),
}

const nothingKnown: GrpcPorts['status'] = {
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

/** The code of the error. Undefined if the call succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}
