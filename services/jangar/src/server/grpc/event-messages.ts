interface EventMessage {
  readonly id: string
  readonly event: string
  readonly json: string
}

/** Server-sent events as messages. Comments, which only show that a stream is alive, are left out. */
export async function* readStream(
  chunks: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<EventMessage, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string): string =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''
      const event = field('event')
      if (event !== '') yield { id: field('id'), event, json: field('data') }
    }
  }
}
