import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PeerCertificate } from 'node:tls'
import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../grpc/generated/grpc/health/v1/health_pb.ts'
import { checkGrpc } from './check-grpc.ts'
import { checkHttp } from './check-http.ts'
import { pinnedCertificate } from './pinned-certificate.ts'

const { signal } = new AbortController()

async function listen(server: Server | Http2Server | Http2SecureServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An address at which no server listens. */
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
    { because: 'that is the short format', body: 'ok' },
    { because: 'that is the verbose format', body: '[+]caches ok\nreadyz check passed\n' },
  ])('is good if the response is $body: $because', async ({ body }) => {
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
    {
      because: 'it is not a readiness endpoint',
      answer: answering(404, 'no'),
      says: 'the server responded with status 404',
    },
    {
      because: 'it redirects',
      answer: answering(302, ''),
      says: 'the server responded with status 302',
    },
    {
      because: 'it is an HTML page',
      answer: answering(200, '<html>'),
      says: 'the response is not from the platform',
    },
  ])('is bad when $because', async ({ answer, says }) => {
    const address = await listen(createServer(answer))
    expect(await checkHttp(new URL(`http://${address}/readyz`), signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(`http://${address}/readyz: ${says}`),
      advice: [expect.any(String)],
    })
  })

  test('is bad if the connection is refused, and the query is not shown', async () => {
    const address = await deserted()
    expect(await checkHttp(new URL(`http://${address}/readyz?key=value`), signal)).toMatchObject({
      verdict: 'bad',
      says: `http://${address}/readyz: the connection was refused`,
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

  test('is good if the server is serving', async () => {
    const address = await listen(serving(ServingStatus.SERVING))
    expect(await checkGrpc(address, signal)).toEqual({
      about: 'grpc',
      verdict: 'good',
      says: `${address} is serving`,
    })
  })

  test.each([
    {
      because: 'it is not serving',
      server: () => serving(ServingStatus.NOT_SERVING),
      says: 'the server reports that it is not serving',
    },
    {
      because: 'it does not support health checks',
      server: () =>
        createHttp2Server().on('stream', (stream: ServerHttp2Stream) =>
          stream.respond(
            { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
            { endStream: true },
          ),
        ),
      says: 'the server does not support health checks (Unimplemented)',
    },
    {
      because: 'the response is invalid',
      server: () =>
        createHttp2Server().on('stream', (stream: ServerHttp2Stream) => {
          stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' })
          stream.end('what is no message')
        }),
      says: 'the server does not use gRPC',
    },
    {
      because: 'it does not support gRPC',
      server: () => createHttp2Server(connectNodeAdapter({ routes: () => undefined })),
      says: 'the server does not use gRPC',
    },
  ])('is bad when $because', async ({ server, says }) => {
    const address = await listen(server())
    expect(await checkGrpc(address, signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(`${address}: ${says}`),
      advice: [expect.any(String)],
    })
  })

  test('is bad for an HTTP server, and if the connection is refused', async () => {
    const web = await listen(createServer(answering(200, 'ok')))
    expect(await checkGrpc(web, signal)).toMatchObject({
      verdict: 'bad',
      says: expect.stringContaining(web),
    })
    const nowhere = await deserted()
    expect(await checkGrpc(nowhere, signal)).toMatchObject({
      verdict: 'bad',
      says: `${nowhere}: the connection was refused`,
    })
  })
})

describe('with TLS', () => {
  /** A certificate for 127.0.0.1 of an authority that nobody trusts. */
  async function made() {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-tls-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await (await startApiServer({ logger: silentLogger, certDir: folder })).stop()
    const read = (file: string) => readFileSync(join(folder, file), 'utf8')
    return { cert: read('apiserver.crt'), key: read('apiserver.key'), ca: read('ca.crt') }
  }

  test('a server is trusted for its certificate alone, by whichever name', async () => {
    const [own, other] = [await made(), await made()]
    const web = await listen(createHttpsServer(own, answering(200, 'ok')))
    const handler = connectNodeAdapter({
      routes: (router) => {
        router.service(Health, { check: () => ({ status: ServingStatus.SERVING }) })
      },
    })
    const rpc = await listen(createSecureServer(own, handler))
    const reached = new URL(`https://${web}/readyz`)
    const right = pinnedCertificate(own.cert)
    expect((await checkHttp(reached, signal, right)).verdict).toBe('good')
    expect((await checkGrpc(`https://${rpc}`, signal, right)).verdict).toBe('good')
    const asOther = right.checkServerIdentity?.('agents-api.agents.svc', {
      raw: new X509Certificate(own.cert).raw,
    } as PeerCertificate)
    expect(asOther).toBeUndefined()
    // Its authority is no certificate of a server, and the usual authorities do not know it.
    for (const pinned of [pinnedCertificate(other.cert), pinnedCertificate(own.ca), undefined]) {
      expect((await checkHttp(reached, signal, pinned)).verdict).toBe('bad')
      expect((await checkGrpc(`https://${rpc}`, signal, pinned)).verdict).toBe('bad')
    }
  })
})
