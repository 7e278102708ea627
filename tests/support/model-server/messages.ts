import {
  argumentsOf,
  type Message,
  type ModelApi,
  type ReplyUsage,
  type StreamEvent,
} from './reply.ts'

/** The Messages API of Anthropic. */
export const messages: ModelApi = {
  name: 'messages',
  matches: (path) => path.endsWith('/messages'),
  isStream: ({ stream }) => stream === true,
  whole: (message, id, model) => ({
    ...headOf(id, model),
    content: blocksOf(message, id),
    stop_reason: stopOf(message),
    stop_sequence: null,
    usage: usageOf(message.usage),
  }),
  stream(message, id, model) {
    const { output_tokens, ...input } = usageOf(message.usage)
    const start = { ...headOf(id, model), content: [], stop_reason: null, stop_sequence: null }
    const events = [
      { type: 'message_start', message: { ...start, usage: { ...input, output_tokens: 1 } } },
      ...blocksOf(message, id).flatMap((block, index) => blockEvents(block, index)),
      {
        type: 'message_delta',
        delta: { stop_reason: stopOf(message), stop_sequence: null },
        usage: { ...input, output_tokens },
      },
      { type: 'message_stop' },
    ]
    return events.map((data): StreamEvent => ({ event: data.type, data }))
  },
  error: ({ status, message }) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
  }),
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

type Block = ReturnType<typeof blocksOf>[number]

function blocksOf({ text, calls = [] }: Message, id: string) {
  const said = text === undefined ? [] : [{ type: 'text' as const, text }]
  const called = calls.map((call, index) => ({
    type: 'tool_use' as const,
    id: `toolu_${id}_${index}`,
    name: call.name,
    input: argumentsOf(call),
  }))
  return [...said, ...called]
}

function blockEvents(block: Block, index: number) {
  const [content_block, delta] =
    block.type === 'text'
      ? [
          { ...block, text: '' },
          { type: 'text_delta', text: block.text },
        ]
      : [
          { ...block, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
        ]
  return [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
}

function headOf(id: string, model: string) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model }
}

function stopOf({ calls = [] }: Message): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn'
}

/** Its input tokens leave out what came from the cache. */
function usageOf({ inputTokens, cachedInputTokens, outputTokens }: ReplyUsage) {
  return {
    input_tokens: inputTokens - cachedInputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  }
}
