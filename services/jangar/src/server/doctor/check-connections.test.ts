import { createServer, type RequestListener, type Server } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../grpc/generated/grpc/health/v1/health_pb.ts'
import { checkGrpc } from './check-grpc.ts'
import { checkHttp } from './check-http.ts'

const { signal } = new AbortController()

async function listen(server: Server | Http2Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Where nobody listens any more. */
async function deserted(): Promise<string> {
  const server = createServer()
  const address = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return address
}

const answering =
  (status: number, body: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(body)

describe('http', () => {
  test.each([
    { because: 'that is what a process says', body: 'ok' },
    { because: 'that is what it says at length', body: '[+]caches ok\nreadyz check passed\n' },
  ])('is good where $body is the answer, because $because', async ({ body }) => {
    const address = await listen(createServer(answering(200, body)))
    expect(await checkHttp(new URL(`http://${address}/readyz`), signal)).toEqual({
      about: 'http',
      verdict: 'good',
      says: `http://${address}/readyz is ready`,
    })
  })

  test.each([
    {
      because: 'a check fails',
      answer: answering(500, '[+]a ok\n[-]caches failed: reason withheld\nreadyz check failed\n'),
      says: 'not ready (caches)',
    },
    { because: 'it is another server', answer: answering(404, 'no'), says: 'answered 404' },
    { because: 'it leads elsewhere', answer: answering(302, ''), says: 'answered 302' },
    { because: 'it is a page', answer: answering(200, '<html>'), says: 'something else' },
  ])('is bad when $because', async ({ answer, says }) => {
    const address = await listen(createServer(answer))
    expect(await checkHttp(new URL(`http://${address}/readyz`), signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(`http://${address}/readyz: ${says}`),
      advice: [expect.any(String)],
    })
  })

  test('is bad where nobody listens, and the query is not repeated', async () => {
    const address = await deserted()
    expect(await checkHttp(new URL(`http://${address}/readyz?key=value`), signal)).toMatchObject({
      verdict: 'bad',
      says: `http://${address}/readyz: nobody listens there`,
    })
  })
})

describe('grpc', () => {
  const serving = (status: ServingStatus) =>
    createHttp2Server(
      connectNodeAdapter({
        routes: (router) => void router.service(Health, { check: () => ({ status }) }),
      }),
    )

  test('is good where the server serves', async () => {
    const address = await listen(serving(ServingStatus.SERVING))
    expect(await checkGrpc(address, signal)).toEqual({
      about: 'grpc',
      verdict: 'good',
      says: `${address} is serving`,
    })
  })

  test.each([
    {
      because: 'it says so',
      server: () => serving(ServingStatus.NOT_SERVING),
      says: 'the server says that it is not serving',
    },
    {
      because: 'it knows nothing of health',
      server: () =>
        createHttp2Server().on('stream', (stream: ServerHttp2Stream) =>
          stream.respond(
            { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
            { endStream: true },
          ),
        ),
      says: 'what answers does not know health checks (Unimplemented)',
    },
    {
      because: 'its answer cannot be read',
      server: () =>
        createHttp2Server().on('stream', (stream: ServerHttp2Stream) => {
          stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' })
          stream.end('what is no message')
        }),
      says: 'what answers does not speak gRPC',
    },
    {
      because: 'it serves pages',
      server: () => createHttp2Server(connectNodeAdapter({ routes: () => undefined })),
      says: 'what answers does not speak gRPC',
    },
  ])('is bad when $because', async ({ server, says }) => {
    const address = await listen(server())
    expect(await checkGrpc(address, signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(`${address}: ${says}`),
      advice: [expect.any(String)],
    })
  })

  test('is bad where something else listens, and where nobody does', async () => {
    const web = await listen(createServer(answering(200, 'ok')))
    expect(await checkGrpc(web, signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(web),
    })
    const nowhere = await deserted()
    expect(await checkGrpc(nowhere, signal)).toMatchObject({
      verdict: 'bad',
      says: `${nowhere}: nobody listens there`,
    })
  })
})
