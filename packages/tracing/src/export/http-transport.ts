import {
  type ClientRequest,
  Agent as HttpAgent,
  request as http,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as https } from 'node:https'
import { encodeJson } from '../otlp/encode-json.ts'
import { encodeProtobuf } from '../otlp/encode-protobuf.ts'
import { readJsonResponse, readProtobufResponse } from '../otlp/read-response.ts'
import {
  addressOf,
  describeError,
  largestAnswer,
  type Sent,
  type Transport,
  type TransportOptions,
} from './transport.ts'

export type HttpForm = 'json' | 'protobuf'

const forms = {
  json: { type: 'application/json', encode: encodeJson, read: readJsonResponse },
  protobuf: { type: 'application/x-protobuf', encode: encodeProtobuf, read: readProtobufResponse },
}

/** OTLP over HTTP. */
export function httpTransport({ endpoint, headers }: TransportOptions, form: HttpForm): Transport {
  const { type, encode, read } = forms[form]
  const url = new URL(`${endpoint.pathname.replace(/\/+$/, '')}/v1/traces`, endpoint)
  const isTls = url.protocol === 'https:'
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const ask = isTls ? https : http
  return {
    address: addressOf(url),
    send: async (resource, spans, signal) => {
      const body = encode(resource, spans)
      const all = { ...headers, 'content-type': type, 'content-length': body.length }
      try {
        const options = { method: 'POST', headers: all, agent, signal }
        const response = await answerTo(ask(url, options), body)
        return outcomeOf(response, await contentOf(response), read)
      } catch (error) {
        return { kind: 'later', because: describeError(error) }
      }
    },
    close: () => agent.destroy(),
  }
}

function answerTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
    request.end(body)
  })
}

async function contentOf(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size <= largestAnswer) parts.push(part)
  }
  return size <= largestAnswer ? Buffer.concat(parts) : Buffer.alloc(0)
}

/** The status codes that OTLP allows a client to retry. */
const passing = new Set([429, 502, 503, 504])

function outcomeOf(
  { statusCode = 0, headers }: IncomingMessage,
  body: Buffer,
  read: typeof readJsonResponse,
): Sent {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken', ...read(body) }
  const because = `HTTP ${statusCode}`
  if (!passing.has(statusCode)) return { kind: 'refused', because }
  const seconds = Number(headers['retry-after'])
  return { kind: 'later', because, ...(seconds > 0 && { afterMs: seconds * 1000 }) }
}
