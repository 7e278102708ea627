import { linesOf, parsedObject } from '../lines.ts'
import type { McpLaunch } from '../protocol.ts'
import { longestMessageBytes, send } from './program-server.ts'
import type { BridgeEnds } from './run-bridge.ts'
import type { Traffic } from './traffic.ts'

type UrlLaunch = Extract<McpLaunch, { url: string }>

const startTimeoutMs = 60_000
const farewellMs = 2000
const longestWords = 1000

/** Connects the CLI with a server that speaks MCP over HTTP: each message is a request. */
export async function serveUrl(
  { url, headers }: UrlLaunch,
  traffic: Traffic,
  { input, output, report, stop }: BridgeEnds,
): Promise<number> {
  const session: Record<string, string> = {}
  const closing = new AbortController()
  const stopped = AbortSignal.any([stop, closing.signal])
  stop.addEventListener('abort', () => input.destroy())
  const request = (method: string, signal: AbortSignal, body?: string) =>
    fetch(url, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...session,
      },
      // The headers may hold a credential, which is for this address only.
      redirect: 'error',
      signal,
      ...(body !== undefined && { body }),
    })
  const show = async (text: string) => {
    const message = parsedObject(text)
    const version = (message?.result as { protocolVersion?: unknown } | undefined)?.protocolVersion
    if (typeof version === 'string') session['mcp-protocol-version'] = version
    // On one line, as standard output requires.
    await send(output, traffic.toClient(message === undefined ? text : JSON.stringify(message)))
  }
  // The CLI would write the body to a file as it is, and it may repeat a credential. The runner masks it.
  const fail = async (id: unknown, why: string, body = '') => {
    report({ words: `${why} ${body}`.trim() })
    if (id === undefined) return
    await send(
      output,
      JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: why } }),
    )
  }
  const exchange = async (line: string, isFirst: boolean) => {
    const { id } = parsedObject(line) ?? {}
    try {
      const limit = isFirst ? [AbortSignal.timeout(startTimeoutMs)] : []
      const response = await request('POST', AbortSignal.any([stopped, ...limit]), line)
      const given = response.headers.get('mcp-session-id')
      if (given !== null) session['mcp-session-id'] = given
      if (!response.ok) {
        await fail(id, `HTTP ${response.status}`, await bodyOf(response))
        return
      }
      for await (const text of messagesIn(response)) await show(text)
    } catch (error) {
      if (!stopped.aborted) await fail(id, causeOf(error))
    }
  }
  const fromClient = async () => {
    for await (const line of linesOf(input, longestMessageBytes)) {
      const passage = traffic.toServer(line)
      if ('reply' in passage) {
        await send(output, passage.reply)
        continue
      }
      const { id, method } = parsedObject(line) ?? {}
      const isFirst = method === 'initialize'
      // What follows needs the session of the first request, and comes after a notification.
      if (isFirst || id === undefined) await exchange(passage.forward, isFirst)
      else void exchange(passage.forward, isFirst)
    }
  }
  await fromClient().catch(() => undefined)
  closing.abort()
  if (session['mcp-session-id'] !== undefined) {
    await request('DELETE', AbortSignal.timeout(farewellMs)).catch(() => undefined)
  }
  return 0
}

async function* messagesIn(response: Response): AsyncGenerator<string> {
  if (response.body === null) return
  if (!(response.headers.get('content-type') ?? '').includes('text/event-stream')) {
    const text = await response.text()
    if (text.trim() !== '') yield text
    return
  }
  let data: string[] = []
  const body = response.body as unknown as AsyncIterable<Buffer>
  for await (const line of linesOf(buffers(body), longestMessageBytes)) {
    const field = line.replace(/\r$/, '')
    if (field.startsWith('data:')) data.push(field.slice(5).replace(/^ /, ''))
    if (field !== '' || data.length === 0) continue
    yield data.join('\n')
    data = []
  }
}

async function* buffers(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
}

async function bodyOf(response: Response): Promise<string> {
  return (await response.text().catch(() => '')).slice(0, longestWords)
}

/** Only what the network says: the message of an exception may quote a header. */
function causeOf(error: unknown): string {
  const { cause, name } = error as Error & { readonly cause?: NodeJS.ErrnoException }
  if (name === 'TimeoutError') return `no response in ${startTimeoutMs / 1000} s`
  return cause?.code ?? cause?.message ?? 'the request failed'
}
