import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chatCompletions } from './chat-completions.ts'
import { gemini } from './gemini.ts'
import { messages } from './messages.ts'
import { isError, type Message, type ModelApi, type Reply, type ReplyUsage } from './reply.ts'
import { responses } from './responses.ts'

type Body = Readonly<Record<string, unknown>>

/** A request for a message of the model. */
export interface ModelRequest {
  readonly api: ModelApi['name']
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: Body
  /** The body as text, to search in. */
  readonly text: string
  /** The model's name, from the body or the path. */
  readonly model: string
  /** The key that was sent, in whichever header. */
  readonly key: string | undefined
}

/** Decides what the model says; `index` counts the requests from 0. */
export type Script = (request: ModelRequest, index: number) => Reply | Promise<Reply>

export interface ModelServer {
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly url: string
  /** All requests for messages, in order. */
  readonly requests: readonly ModelRequest[]
  /** What all messages together cost, as reported to the client. Cut streams do not count. */
  usage(): ReplyUsage
  /** Replaces the script, and forgets requests and usage. */
  play(script: Script): void
  close(): Promise<void>
}

const apis = [responses, chatCompletions, messages, gemini]

/** Speaks the APIs of the well-known model services on a loopback port, and says what the script tells it to. */
export async function startModelServer(
  script: Script = silent,
  /** 0: any free port. */
  port = 0,
): Promise<ModelServer> {
  let current = script
  const requests: ModelRequest[] = []
  const total = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  const count = (usage: ReplyUsage): void => {
    total.inputTokens += usage.inputTokens
    total.cachedInputTokens += usage.cachedInputTokens
    total.outputTokens += usage.outputTokens
  }
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing).catch(() => outgoing.destroy())
  })
  const respond = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1')
    const text = await bodyOf(incoming)
    const api =
      incoming.method === 'POST' ? apis.find((one) => one.matches(url.pathname)) : undefined
    if (api === undefined)
      return sendJson(outgoing, isUpgrade(incoming) ? 426 : 200, elsewhere(url))
    const request = requestOf(api, url, incoming, text)
    const index = requests.push(request) - 1
    const reply = await current(request, index)
    const id = `mock${index}`
    if (isError(reply)) {
      const { status, retryAfterSeconds } = reply
      if (retryAfterSeconds !== undefined) outgoing.setHeader('retry-after', retryAfterSeconds)
      return sendJson(outgoing, status, api.error(reply))
    }
    const isCut = reply.cutAfterEvents !== undefined
    if (!isCut) count(reply.usage)
    if (!api.isStream(request.body, url)) {
      if (reply.pauseMs !== undefined) await delay(reply.pauseMs, undefined, { ref: false })
      if (isCut) outgoing.destroy()
      else sendJson(outgoing, 200, api.whole(reply, id, request.model))
      return
    }
    await sendStream(outgoing, api, reply, id, request.model)
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    usage: () => ({ ...total }),
    play(next) {
      current = next
      requests.length = 0
      Object.assign(total, { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 })
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const silent: Script = () => ({ status: 500, message: 'the test has no script' })

function requestOf(
  api: ModelApi,
  url: URL,
  { headers }: IncomingMessage,
  text: string,
): ModelRequest {
  const body = JSON.parse(text) as Body
  const inPath = /models\/([^/:]+)/.exec(url.pathname)?.[1]
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  const key = bearer ?? headers['x-api-key'] ?? headers['x-goog-api-key']
  return {
    api: api.name,
    url,
    headers,
    body,
    text,
    model: typeof body.model === 'string' ? body.model : (inPath ?? 'mock'),
    key: (Array.isArray(key) ? key[0] : key) ?? url.searchParams.get('key') ?? undefined,
  }
}

/** Codex asks for a WebSocket first, and falls back to HTTP when that is refused. */
function isUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined
}

/** Requests beside the messages: lists of models, counts of tokens. */
function elsewhere({ pathname }: URL): unknown {
  if (pathname.endsWith(':countTokens')) return { totalTokens: 1 }
  if (pathname.endsWith('/count_tokens')) return { input_tokens: 1 }
  if (pathname.endsWith('/models')) return { object: 'list', data: [], models: [] }
  return {}
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  switch (incoming.headers['content-encoding']) {
    case 'zstd':
      return zstdDecompressSync(body).toString('utf8')
    case 'gzip':
      return gunzipSync(body).toString('utf8')
    case 'br':
      return brotliDecompressSync(body).toString('utf8')
    default:
      return body.toString('utf8')
  }
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function sendStream(
  outgoing: ServerResponse,
  api: ModelApi,
  message: Message,
  id: string,
  model: string,
): Promise<void> {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const { pauseMs = 0, cutAfterEvents = Number.POSITIVE_INFINITY } = message
  for (const [index, { event, data }] of api.stream(message, id, model).entries()) {
    if (index >= cutAfterEvents) {
      // What was written arrives before the connection ends.
      await delay(100)
      outgoing.destroy()
      return
    }
    if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false })
    if (outgoing.destroyed) return
    const name = event === undefined ? '' : `event: ${event}\n`
    outgoing.write(`${name}data: ${JSON.stringify(data)}\n\n`)
  }
  outgoing.end(api.streamEnd ?? '')
}
