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
  LARGEST_ANSWER,
  type Sent,
  type Transport,
  type TransportOptions,
  troubleOf,
} from './transport.ts'

const METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

/** OTLP over gRPC: one unary call for each batch, all on one connection that is opened when it is needed. */
export function grpcTransport({ endpoint, headers }: TransportOptions): Transport {
  let session: ClientHttp2Session | undefined
  const connected = (): ClientHttp2Session => {
    if (session && !session.closed && !session.destroyed) return session
    const opened = connect(endpoint.origin)
    // Each call is told why it failed; without a listener the process would end of it.
    opened.on('error', () => undefined)
    // A connection that waits for the next batch is no reason to live on.
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
            ':path': METHOD,
            'content-type': 'application/grpc+proto',
            te: 'trailers',
          },
          { signal },
        )
        return await call(stream, message)
      } catch (error) {
        // Whatever state the connection is in: the next try gets a new one.
        session?.destroy()
        return { kind: 'later', because: troubleOf(error) }
      }
    },
    close: () => session?.close(),
  }
}

/** Not compressed, then the length, then the message. */
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
      if (size <= LARGEST_ANSWER) parts.push(part)
    })
    stream.once('error', reject)
    stream.once('close', () => {
      // A call that fails at once has no trailers of its own: all is in the head.
      const end = { ...headers, ...trailers }
      const isCut =
        stream.rstCode !== constants.NGHTTP2_NO_ERROR && end['grpc-status'] === undefined
      if (isCut) reject(new Error('the call was cut off', { cause: stream.rstCode }))
      else resolve(outcomeOf(end, Buffer.concat(parts)))
    })
    stream.end(request)
  })
}

const OK = 0

/** CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, OUT_OF_RANGE, UNAVAILABLE, DATA_LOSS: after these OTLP lets a client try again. */
const PASSING = new Set([1, 4, 8, 10, 11, 14, 15])

function outcomeOf(end: IncomingHttpHeaders, body: Buffer): Sent {
  const { ':status': http, 'grpc-status': status } = end
  if (status === undefined) {
    // Something on the way that does not speak gRPC.
    const because = http === undefined ? 'no answer' : `HTTP ${http}, and no gRPC status`
    return { kind: Number(http) === 404 || Number(http) === 415 ? 'refused' : 'later', because }
  }
  const code = Number(status)
  if (code === OK) return { kind: 'taken', ...readProtobufResponse(body.subarray(5)) }
  return { kind: PASSING.has(code) ? 'later' : 'refused', because: `gRPC status ${code}` }
}
