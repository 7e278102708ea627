import type { Message, ModelApi, ReplyUsage, StreamEvent } from './reply.ts'

/** The Responses API of OpenAI. */
export const responses: ModelApi = {
  name: 'responses',
  matches: (path) => path.endsWith('/responses'),
  isStream: ({ stream }) => stream === true,
  whole: (message, id, model) => responseOf(message, id, model, 'completed'),
  stream(message, id, model) {
    const items = itemsOf(message, id)
    const open = { ...responseOf(message, id, model, 'in_progress'), output: [], usage: null }
    const events: Event[] = [
      { type: 'response.created', response: open },
      ...items.flatMap((item, index) => itemEvents(item, index)),
      { type: 'response.completed', response: responseOf(message, id, model, 'completed') },
    ]
    return events.map((data, index): StreamEvent => {
      return { event: data.type, data: { ...data, sequence_number: index } }
    })
  },
  error: ({ status, message }) => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'error', code: null },
  }),
}

interface Event {
  readonly type: string
  readonly [member: string]: unknown
}

type Item = ReturnType<typeof itemsOf>[number]

function itemsOf({ text, calls = [] }: Message, id: string) {
  const said =
    text === undefined
      ? []
      : [
          {
            type: 'message' as const,
            id: `msg_${id}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]
  const called = calls.map((call, index) => {
    const common = { call_id: `call_${id}_${index}`, status: 'completed', name: call.name }
    return 'input' in call
      ? {
          type: 'custom_tool_call' as const,
          id: `ctc_${id}_${index}`,
          ...common,
          input: call.input,
        }
      : {
          type: 'function_call' as const,
          id: `fc_${id}_${index}`,
          ...common,
          arguments: JSON.stringify(call.arguments),
        }
  })
  return [...said, ...called]
}

function itemEvents(item: Item, output_index: number): Event[] {
  const at = { output_index, item_id: item.id }
  const added = { type: 'response.output_item.added', output_index, item: empty(item) }
  const done = { type: 'response.output_item.done', output_index, item }
  if (item.type === 'custom_tool_call') {
    const delta = { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input }
    return [
      added,
      delta,
      { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
      done,
    ]
  }
  if (item.type === 'function_call') {
    const given = { ...at, arguments: item.arguments }
    const delta = { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments }
    return [added, delta, { type: 'response.function_call_arguments.done', ...given }, done]
  }
  const part = item.content[0]
  const inPart = { ...at, content_index: 0 }
  return [
    added,
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...inPart, delta: part?.text },
    { type: 'response.output_text.done', ...inPart, text: part?.text },
    { type: 'response.content_part.done', ...inPart, part },
    done,
  ]
}

function empty(item: Item) {
  const rest = { ...item, status: 'in_progress' }
  if (item.type === 'message') return { ...rest, content: [] }
  return item.type === 'function_call' ? { ...rest, arguments: '' } : { ...rest, input: '' }
}

function responseOf(message: Message, id: string, model: string, status: string) {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1,
    status,
    model,
    output: itemsOf(message, id),
    usage: usageOf(message.usage),
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    error: null,
    incomplete_details: null,
  }
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: ReplyUsage) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}
