import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { type Clock, type HealthCheck, systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { createTracer, formatTraceparent, type SpanRecord, type Tracer } from '@agents/tracing'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGrpcServer, type GrpcWorld } from './create-grpc-server.ts'
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from './generated/grpc/health/v1/health_pb.ts'
import { AgentctlService, ComponentStatus } from './generated/proompteng/jangar/v1/agentctl_pb.ts'

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus

/** For what must come; a busy machine takes its time. */
const patience = { timeout: 30_000 }

describe('health', () => {
  test.each(['', 'grpc.health.v1.Health', 'proompteng.jangar.v1.AgentctlService'])(
    'of "%s" follows readiness',
    async (service) => {
      let problem: Error | undefined
      const { health } = await setUp({ readiness: { caches: () => throwIf(problem) } })
      const statusOf = async () => (await health.check({ service })).status
      expect(await statusOf()).toBe(SERVING)
      problem = new Error('not synced')
      await expect.poll(statusOf, patience).toBe(NOT_SERVING)
      problem = undefined
      await expect.poll(statusOf, patience).toBe(SERVING)
    },
  )

  test('of a service that is not there is not found', async () => {
    const { health } = await setUp()
    expect(await codeOf(health.check({ service: 'proompteng.Other' }))).toBe(Code.NotFound)
  })

  test('can be watched: each change once, the end announced, then UNAVAILABLE', async () => {
    let problem: Error | undefined = new Error('not synced')
    const { health, stopping, stop } = await setUp({
      readiness: { caches: () => throwIf(problem) },
    })
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: '' }), seen))
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING])
    problem = undefined
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING, SERVING])
    stopping.abort()
    await expect.poll(() => seen, patience).toEqual([NOT_SERVING, SERVING, NOT_SERVING])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
    expect(seen).toHaveLength(3)
  })

  test('of a service that is not there can be watched too', async () => {
    const { health, stop } = await setUp()
    const seen: ServingStatus[] = []
    const ended = codeOf(collect(health.watch({ service: 'later' }), seen))
    await expect.poll(() => seen, patience).toEqual([SERVICE_UNKNOWN])
    await stop()
    expect(await ended).toBe(Code.Unavailable)
  })

  test('is not asked about more often because more people watch', async () => {
    let asked = 0
    const { health } = await setUp({
      readiness: {
        caches: () => {
          asked += 1
        },
      },
      // No time passes, so there is nothing new to be learnt.
      clock: { ...systemClock, elapsed: () => 0 },
    })
    await Promise.all(Array.from({ length: 20 }, () => health.check({ service: '' })))
    expect(asked).toBe(1)
  })
})

describe('the token', () => {
  const token = 'not-a-real-token'

  test.each<{ because: string; headers: Record<string, string>; passes: boolean }>([
    { because: 'nothing is sent', headers: {}, passes: false },
    {
      because: 'it is sent as bearer',
      headers: { authorization: `Bearer ${token}` },
      passes: true,
    },
    {
      because: 'schemes have no case',
      headers: { authorization: `bearer ${token}` },
      passes: true,
    },
    { because: 'it has a header of its own', headers: { 'x-jangar-token': token }, passes: true },
    {
      because: 'one of two is enough',
      headers: { authorization: 'Bearer x', 'x-jangar-token': token },
      passes: true,
    },
    { because: 'it is another', headers: { 'x-jangar-token': `${token}x` }, passes: false },
    { because: 'it is a part', headers: { 'x-jangar-token': 'not' }, passes: false },
    { because: 'it is empty', headers: { authorization: 'Bearer ' }, passes: false },
    { because: 'another scheme', headers: { authorization: `Basic ${token}` }, passes: false },
  ])('$because: passes = $passes', async ({ headers, passes }) => {
    const { agentctl, health } = await setUp({ token })
    const code = await codeOf(agentctl.getServerInfo({}, { headers }))
    expect(code).toBe(passes ? undefined : Code.Unauthenticated)
    expect((await health.check({ service: '' }, { headers })).status).toBe(SERVING)
  })

  test('is never logged, and its absence is logged once', async () => {
    const guarded = await setUp({ token })
    await codeOf(guarded.agentctl.getServerInfo({}))
    expect(guarded.lines.join('\n')).not.toContain(token)
    expect(guarded.lines.join('\n')).not.toContain('open to whoever')
    const open = await setUp()
    await open.agentctl.getServerInfo({})
    await open.agentctl.getServerInfo({})
    expect(open.lines.filter((line) => line.includes('JANGAR_GRPC_TOKEN'))).toHaveLength(1)
  })
})

describe('GetServerInfo', () => {
  test.each([
    ['gRPC', createGrpcTransport],
    [
      'Connect',
      (options: { baseUrl: string }) => createConnectTransport({ ...options, httpVersion: '2' }),
    ],
  ] as const)('is answered in %s', async (_protocol, transportTo) => {
    const { url } = await setUp()
    const client = createClient(AgentctlService, transportTo({ baseUrl: url }))
    expect(await client.getServerInfo({})).toMatchObject({
      version: '1.2.3',
      buildSha: 'abc',
      buildTime: '',
      service: 'agents-control-plane',
    })
  })
})

describe('GetControlPlaneStatus', () => {
  test('says what it cannot know, and why', async () => {
    const { agentctl, url } = await setUp()
    const status = await agentctl.getControlPlaneStatus({})
    expect(status.grpc).toMatchObject({ enabled: true, address: url.slice('http://'.length) })
    expect(status.controllers).toMatchObject([
      { name: 'agents-controller', status: ComponentStatus.UNKNOWN, started: false },
    ])
    expect(status.database).toMatchObject({ configured: false, status: ComponentStatus.DISABLED })
    expect(status.namespaces).toMatchObject([
      { namespace: 'agents', status: ComponentStatus.UNKNOWN },
    ])
  })

  test('knows nothing of a namespace that nobody reconciles', async () => {
    const { agentctl } = await setUp()
    const call = agentctl.getControlPlaneStatus({ namespace: 'other' })
    expect(await codeOf(call)).toBe(Code.NotFound)
  })
})

describe('what is not served', () => {
  test.each([
    {
      because: 'the method is of a later version',
      path: '/proompteng.jangar.v1.AgentctlService/SubmitAgentRun',
      type: 'application/grpc',
      answer: { ':status': 200, 'grpc-status': '12', 'content-type': 'application/grpc' },
    },
    {
      because: 'the service is unknown',
      path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      type: 'application/grpc+proto',
      answer: { ':status': 200, 'grpc-status': '12', 'content-type': 'application/grpc+proto' },
    },
    {
      because: 'the message claims to be larger than any',
      path: '/grpc.health.v1.Health/Check',
      type: 'application/grpc',
      body: Buffer.of(0, 0xff, 0xff, 0xff, 0xff),
      answer: { ':status': 200, 'grpc-status': '8' },
    },
    {
      because: 'the message is none',
      path: '/grpc.health.v1.Health/Check',
      type: 'application/grpc',
      body: Buffer.of(0, 0, 0, 0, 1, 0xff),
      answer: { ':status': 200, 'grpc-status': '13' },
    },
    {
      because: 'it is no call',
      path: '/index.html',
      type: 'text/plain',
      answer: { ':status': 404 },
    },
  ])('$because', async ({ path, type, body, answer }) => {
    const { url } = await setUp()
    expect(await post(url, path, type, body)).toMatchObject(answer)
  })

  test('a connection that speaks something else is closed, and others go on', async () => {
    const { url, health } = await setUp()
    await new Promise<void>((resolve) => {
      const socket = connectTcp(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
      socket.resume()
    })
    expect((await health.check({ service: '' })).status).toBe(SERVING)
  })
})

describe('listening', () => {
  test.each([
    {
      because: 'the port is taken',
      change: (port: number) => ({ port }),
      says: ['another process uses that port', 'JANGAR_GRPC_PORT', 'grpc.port'],
    },
    {
      because: 'the address is of another machine',
      change: () => ({ host: '192.0.2.1' }),
      says: ['no such address', 'JANGAR_GRPC_HOST', 'grpc.host'],
    },
  ])('fails with what to do: $because', async ({ change, says }) => {
    const { url, world } = await setUp()
    const config = { ...world.config, ...change(Number(new URL(url).port)) }
    const second = createGrpcServer({ ...world, config })
    const error = await second.start().catch((reason: Error) => reason)
    expect(error).toMatchObject({ name: 'GrpcUnavailable' })
    for (const words of says) expect(String(error)).toContain(words)
  })
})

describe('traces', () => {
  test('a call is a span in the trace of its caller, with what became of it; health is none', async () => {
    const spans: SpanRecord[] = []
    const tracer = createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) })
    const { agentctl, health } = await setUp({ tracer })
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
    const headers = { traceparent: formatTraceparent(caller) }
    await agentctl.getServerInfo({}, { headers })
    await health.check({ service: '' })
    await codeOf(agentctl.getControlPlaneStatus({ namespace: 'nowhere' }))
    expect(spans).toMatchObject([
      {
        name: 'proompteng.jangar.v1.AgentctlService/GetServerInfo',
        kind: 'server',
        context: { traceId: caller.traceId },
        parentSpanId: caller.spanId,
        status: { code: 'unset' },
      },
      {
        name: 'proompteng.jangar.v1.AgentctlService/GetControlPlaneStatus',
        parentSpanId: undefined,
        attributes: { 'rpc.grpc.status_code': Code.NotFound },
        status: { code: 'error' },
      },
    ])
  })
})

describe('stopping', () => {
  test('waits for the answer to a call that is under way, and takes no new connection', async () => {
    let release = (): void => undefined
    let asked = (): void => undefined
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const slow: HealthCheck = () => {
      asked()
      return new Promise((resolve) => {
        release = resolve
      })
    }
    const { health, stop, url } = await setUp({ readiness: { slow } })
    const answer = health.check({ service: '' })
    await wasAsked
    const stopped = stop()
    const late = createClient(Health, createGrpcTransport({ baseUrl: url }))
    await expect.poll(() => codeOf(late.check({ service: '' })), patience).toBe(Code.Unavailable)
    release()
    expect(await codeOf(answer)).toBeUndefined()
    await stopped
  })

  test('cuts off what does not end', async () => {
    let asked = (): void => undefined
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const stuck: HealthCheck = () => {
      asked()
      return new Promise(() => undefined)
    }
    const { health, stop, lines } = await setUp({ readiness: { stuck }, drainMs: 1 })
    const answer = codeOf(health.check({ service: '' }))
    await wasAsked
    await stop()
    expect(await answer).not.toBeUndefined()
    expect(lines.join('\n')).toContain('cut off')
  })
})

interface Choice {
  readonly token?: string
  readonly readiness?: Readonly<Record<string, HealthCheck>>
  readonly clock?: Clock
  readonly drainMs?: number
  readonly tracer?: Tracer
}

async function setUp(choice: Choice = {}) {
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

function throwIf(problem: Error | undefined): void {
  if (problem) throw problem
}

async function collect(
  stream: AsyncIterable<{ readonly status: ServingStatus }>,
  into: ServingStatus[],
): Promise<void> {
  for await (const { status } of stream) into.push(status)
}

/** Of the error; undefined when there was none. */
async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}

/** The head and the end of the answer. */
function post(
  url: string,
  path: string,
  type: string,
  body: Buffer = Buffer.alloc(0),
): Promise<IncomingHttpHeaders> {
  const session = connectHttp2(url)
  return new Promise((resolve, reject) => {
    session.on('error', reject)
    const { HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH } = constants
    const head = { [HTTP2_HEADER_METHOD]: 'POST', [HTTP2_HEADER_PATH]: path, 'content-type': type }
    const stream = session.request(head)
    const answer: IncomingHttpHeaders = {}
    const note = (headers: IncomingHttpHeaders): void => void Object.assign(answer, headers)
    stream.on('response', note)
    stream.on('trailers', note)
    stream.on('error', reject)
    stream.on('close', () => {
      resolve(answer)
      session.close()
    })
    stream.resume()
    stream.end(body)
  })
}
