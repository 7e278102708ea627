import { connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import type { HealthCheck } from '@agents/controller'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { describe, expect, test } from 'vitest'
import { createGrpcServer } from './create-grpc-server.ts'
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from './generated/grpc/health/v1/health_pb.ts'
import { codeOf, pollOptions, serveGrpc } from './testing/serve-grpc.ts'

const { SERVING } = ServingStatus

describe('requests that are not served', () => {
  test.each([
    {
      because: 'an unknown method',
      path: '/proompteng.jangar.v1.AgentctlService/SubmitAgentRun',
      type: 'application/grpc',
      answer: { ':status': 200, 'grpc-status': '12', 'content-type': 'application/grpc' },
    },
    {
      because: 'an unknown service',
      path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      type: 'application/grpc+proto',
      answer: { ':status': 200, 'grpc-status': '12', 'content-type': 'application/grpc+proto' },
    },
    {
      because: 'a message that is too large',
      path: '/grpc.health.v1.Health/Check',
      type: 'application/grpc',
      body: Buffer.of(0, 0xff, 0xff, 0xff, 0xff),
      answer: { ':status': 200, 'grpc-status': '8' },
    },
    {
      because: 'an invalid message',
      path: '/grpc.health.v1.Health/Check',
      type: 'application/grpc',
      body: Buffer.of(0, 0, 0, 0, 1, 0xff),
      answer: { ':status': 200, 'grpc-status': '13' },
    },
    {
      because: 'a request that is not a call',
      path: '/index.html',
      type: 'text/plain',
      answer: { ':status': 404 },
    },
  ])('$because', async ({ path, type, body, answer }) => {
    const { url } = await serveGrpc()
    expect(await post(url, path, type, body)).toMatchObject(answer)
  })

  test('a connection with another protocol is closed without affecting others', async () => {
    const { url, health } = await serveGrpc()
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
      because: 'the port is in use',
      change: (port: number) => ({ port }),
      message: ['another process uses the port', 'JANGAR_GRPC_PORT', 'grpc.port'],
    },
    {
      because: 'the address belongs to another host',
      change: () => ({ host: '192.0.2.1' }),
      message: ['does not have this address', 'JANGAR_GRPC_HOST', 'grpc.host'],
    },
  ])('fails with advice: $because', async ({ change, message }) => {
    const { url, ports } = await serveGrpc()
    const config = { ...ports.config, ...change(Number(new URL(url).port)) }
    const second = createGrpcServer({ ...ports, config })
    const error = await second.start().catch((reason: Error) => reason)
    expect(error).toMatchObject({ name: 'GrpcUnavailable' })
    for (const words of message) expect(String(error)).toContain(words)
  })
})

describe('stopping', () => {
  test('waits for running calls and accepts no new connections', async () => {
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
    const { health, stop, url } = await serveGrpc({ readiness: { slow } })
    const answer = health.check({ service: '' })
    await wasAsked
    const stopped = stop()
    const late = createClient(Health, createGrpcTransport({ baseUrl: url }))
    await expect.poll(() => codeOf(late.check({ service: '' })), pollOptions).toBe(Code.Unavailable)
    release()
    expect(await codeOf(answer)).toBeUndefined()
    await stopped
  })

  test('aborts calls that do not finish in time', async () => {
    let asked = (): void => undefined
    const wasAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const stuck: HealthCheck = () => {
      asked()
      return new Promise(() => undefined)
    }
    const { health, stop, lines } = await serveGrpc({ readiness: { stuck }, drainMs: 1 })
    const answer = codeOf(health.check({ service: '' }))
    await wasAsked
    await stop()
    expect(await answer).not.toBeUndefined()
    expect(lines.join('\n')).toContain('interrupted by shutdown')
  })
})

/** The headers and trailers of the response. */
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
