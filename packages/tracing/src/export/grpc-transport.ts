import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { encodeProtobuf } from '../otlp/encode-protobuf.ts'
import { readProtobufResponse } from '../otlp/read-response.ts'
import {
  addressOf,
  describeError,
  largestAnswer,
  type Sent,
  type Transport,
  type TransportOptions,
} from './transport.ts'

const method = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

/** OTLP over gRPC: one unary call per batch, on one connection that is opened on demand. */
export function grpcTransport({ endpoint, headers }: TransportOptions): Transport {
  let session: ClientHttp2Session | undefined
  const connected = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    const opened = connect(endpoint.origin)
    // Each call reports its own error; without a listener the event would end the process.
    opened.on('error', () => undefined)
    // An idle connection must not keep the process running.
    opened.unref()
    session = opened
    return opened
  }
  return {
    address: addressOf(endpoint),
    send: async (resource, spans, signal) => {
      const message = framed(encodeProtobuf(resource, spans))
      try {
        const stream = connected().request(
          {
            ...headers,
            ':method': 'POST',
            ':path': method,
            'content-type': 'application/grpc+proto',
            te: 'trailers',
          },
          { signal },
        )
        return await call(stream, message)
      } catch (error) {
        // The state of the connection is unknown, so the next attempt opens a new one.
        session?.destroy()
        return { kind: 'later', because: describeError(error) }
      }
    },
    close: () => session?.close(),
  }
}

/** A gRPC frame: the flag for no compression, the length, and the message. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function call(stream: ClientHttp2Stream, request: Buffer): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    let headers: IncomingHttpHeaders = {}
    let trailers: IncomingHttpHeaders = {}
    stream.on('response', (received) => {
      headers = received
    })
    stream.on('trailers', (received) => {
      trailers = received
    })
    stream.on('data', (part: Buffer) => {
      size += part.length
      if (size <= largestAnswer) parts.push(part)
    })
    stream.once('error', reject)
    stream.once('close', () => {
      // A call that fails at once has no trailers; the headers contain the status.
      const end = { ...headers, ...trailers }
      const isCut =
        stream.rstCode !== constants.NGHTTP2_NO_ERROR && end['grpc-status'] === undefined
      if (isCut) reject(new Error('the call was interrupted', { cause: stream.rstCode }))
      else resolve(outcomeOf(end, Buffer.concat(parts)))
    })
    stream.end(request)
  })
}

const OK = 0

/**
 * The status codes that OTLP allows a client to retry: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED,
 * OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS.
 */
const passing = new Set([1, 4, 8, 10, 11, 14, 15])

function outcomeOf(end: IncomingHttpHeaders, body: Buffer): Sent {
  const { ':status': http, 'grpc-status': status } = end
  if (status === undefined) {
    // The response is from a proxy or server that does not support gRPC.
    const because = http === undefined ? 'no answer' : `HTTP ${http}, and no gRPC status`
    return { kind: Number(http) === 404 || Number(http) === 415 ? 'refused' : 'later', because }
  }
  const code = Number(status)
  if (code === OK) return { kind: 'taken', ...readProtobufResponse(body.subarray(5)) }
  return { kind: passing.has(code) ? 'later' : 'refused', because: `gRPC status ${code}` }
}
