import type { Json } from '@agents/crd'

export interface SeenEvent {
  readonly type: string
  readonly object: Record<string, Json> & {
    metadata: Record<string, Json> & { name: string; resourceVersion: string }
  }
}

interface WatchClient {
  /** The next event. Rejects if the stream has ended. */
  next(): Promise<SeenEvent>
  /** All events until the server ends the stream. */
  rest(): Promise<SeenEvent[]>
  close(): void
}

/** Reads a watch as lines of JSON. */
export async function openWatch(
  url: string,
  headers: Record<string, string> = {},
): Promise<WatchClient> {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  if (response.body === null) throw new Error('the response has no body')
  const events = lines(response.body.pipeThrough(new TextDecoderStream()))
  const next = async (): Promise<SeenEvent> => {
    const { value, done } = await events.next()
    if (done === true || value === undefined) throw new Error('the watch has ended')
    return value
  }
  return {
    next,
    rest: async () => {
      const rest: SeenEvent[] = []
      for await (const event of events) rest.push(event)
      return rest
    },
    close: () => abort.abort(),
  }
}

async function* lines(stream: ReadableStream<string>): AsyncGenerator<SeenEvent, undefined> {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      yield JSON.parse(text.slice(0, end))
      text = text.slice(end + 1)
    }
  }
  return undefined
}
