import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import type { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeJson } from '../otlp/encode-json.ts'
import { encodeProtobuf } from '../otlp/encode-protobuf.ts'
import type { SpanRecord } from '../span.ts'
import { grpcTransport } from './grpc-transport.ts'
import { httpTransport } from './http-transport.ts'
import type { Sent, Transport } from './transport.ts'

const headers = { 'x-key': 'a b' }
const resource = { 'service.name': 'x' }
const spans: SpanRecord[] = [
  {
    context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
    ...{ name: 'x', kind: 'internal', startMs: 1, endMs: 2, attributes: {} },
    ...{ status: { code: 'unset' }, events: [], links: [] },
  },
]

function send(transport: Transport): Promise<Sent> {
  onTestFinished(() => transport.close())
  return transport.send(resource, spans, AbortSignal.timeout(60_000))
}

async function listening(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

interface Got {
  path?: string | undefined
  headers?: IncomingHttpHeaders
  body?: Buffer
}

describe('over HTTP', () => {
  async function collector(status: number, answer: string | Buffer = '', more = {}) {
    const got: Got = {}
    const server = createServer(async (request, response) => {
      const parts = await (request as Readable).toArray()
      Object.assign(got, {
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(parts),
      })
      response.writeHead(status, more).end(answer)
    })
    return { got, endpoint: await listening(server) }
  }

  test.each([
    { form: 'json', type: 'application/json', body: encodeJson(resource, spans) },
    { form: 'protobuf', type: 'application/x-protobuf', body: encodeProtobuf(resource, spans) },
  ] as const)('$form is posted with the headers to a path below the endpoint', async (row) => {
    const { got, endpoint } = await collector(200)
    const sent = await send(
      httpTransport({ endpoint: new URL('/otlp/', endpoint), headers }, row.form),
    )
    expect(sent).toMatchObject({ kind: 'taken', rejected: 0 })
    expect(got.path).toBe('/otlp/v1/traces')
    expect(got.headers).toMatchObject({ 'x-key': 'a b', 'content-type': row.type })
    expect(got.body).toEqual(row.body)
  })

  test.each([
    { form: 'json', answer: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"old"}}' },
    { form: 'protobuf', answer: Buffer.from('0a07080112036f6c64', 'hex') },
  ] as const)('$form: rejected spans are reported', async ({ form, answer }) => {
    const { endpoint } = await collector(200, answer)
    const sent = await send(httpTransport({ endpoint, headers }, form))
    expect(sent).toEqual({ kind: 'taken', rejected: 1, because: 'old' })
  })

  test.each([
    { status: 400, sent: { kind: 'refused', because: 'HTTP 400' } },
    { status: 401, sent: { kind: 'refused', because: 'HTTP 401' } },
    { status: 500, sent: { kind: 'refused', because: 'HTTP 500' } },
    { status: 503, sent: { kind: 'later', because: 'HTTP 503', afterMs: 7000 } },
    { status: 429, sent: { kind: 'later', because: 'HTTP 429', afterMs: 7000 } },
  ])('$status is $sent.kind', async ({ status, sent }) => {
    const { endpoint } = await collector(status, '', { 'retry-after': '7' })
    expect(await send(httpTransport({ endpoint, headers }, 'json'))).toEqual(sent)
  })

  test('an unreachable collector is later', async () => {
    const { endpoint } = await gone()
    expect(await send(httpTransport({ endpoint, headers }, 'json'))).toEqual({
      kind: 'later',
      because: 'ECONNREFUSED',
    })
  })
})

describe('over gRPC', () => {
  async function collector(trailers: Record<string, string>, message = Buffer.alloc(0)) {
    const got: Got = {}
    const server = createHttp2Server()
    server.on('stream', async (stream: ServerHttp2Stream, head) => {
      const parts = await (stream as Readable).toArray()
      Object.assign(got, { path: head[':path'], headers: head, body: Buffer.concat(parts) })
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers(trailers))
      stream.end(framed(message))
    })
    return { got, endpoint: await listening(server) }
  }

  const framed = (message: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])

  test('a batch is one call', async () => {
    const { got, endpoint } = await collector({ 'grpc-status': '0' })
    expect(await send(grpcTransport({ endpoint, headers }))).toMatchObject({
      kind: 'taken',
      rejected: 0,
    })
    expect(got.path).toBe('/opentelemetry.proto.collector.trace.v1.TraceService/Export')
    expect(got.headers).toMatchObject({ 'x-key': 'a b', te: 'trailers' })
    const body = encodeProtobuf(resource, spans)
    expect(got.body?.subarray(0, 5)).toEqual(
      Buffer.from([0, 0, 0, body.length >> 8, body.length & 255]),
    )
    expect(got.body?.subarray(5)).toEqual(body)
  })

  test('rejected spans are reported', async () => {
    const partial = Buffer.from('0a07080112036f6c64', 'hex')
    const { endpoint } = await collector({ 'grpc-status': '0' }, partial)
    const sent = await send(grpcTransport({ endpoint, headers }))
    expect(sent).toEqual({ kind: 'taken', rejected: 1, because: 'old' })
  })

  test('a response that is too long is ignored', async () => {
    // The same message, followed by a long text field.
    const partial = Buffer.from('0a07080112036f6c6422ffff7f', 'hex')
    const answer = Buffer.concat([partial, Buffer.alloc(0x1fffff, 'x')])
    const { endpoint } = await collector({ 'grpc-status': '0' }, answer)
    const sent = await send(grpcTransport({ endpoint, headers }))
    expect(sent).toEqual({ kind: 'taken', rejected: 0, because: '' })
  })

  test.each([
    { status: '3', kind: 'refused' },
    { status: '12', kind: 'refused' },
    { status: '16', kind: 'refused' },
    { status: '8', kind: 'later' },
    { status: '14', kind: 'later' },
  ])('status $status is $kind', async ({ status, kind }) => {
    const { endpoint } = await collector({ 'grpc-status': status })
    const sent = await send(grpcTransport({ endpoint, headers }))
    expect(sent).toEqual({ kind, because: `gRPC status ${status}` })
  })

  test('an HTTP/1 server or none is later, and the next attempt opens a new connection', async () => {
    const plain = await listening(createServer((_request, response) => void response.end()))
    for (const endpoint of [plain, (await gone()).endpoint]) {
      const transport = grpcTransport({ endpoint, headers })
      expect((await send(transport)).kind).toBe('later')
      expect((await send(transport)).kind).toBe('later')
    }
  })
})

/** An address at which no server listens. */
async function gone(): Promise<{ endpoint: URL }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return { endpoint: new URL(`http://127.0.0.1:${port}`) }
}
