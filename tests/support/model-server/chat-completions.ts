import { argumentsOf, type Message, type ModelApi, type ReplyUsage } from './reply.ts'

/** The Chat Completions API of OpenAI, which many services speak. */
export const chatCompletions: ModelApi = {
  name: 'chat-completions',
  matches: (path) => path.endsWith('/chat/completions'),
  isStream: ({ stream }) => stream === true,
  whole: (message, id, model) => ({
    ...headOf(id, model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: message.text ?? null, ...callsOf(message, id) },
        finish_reason: finishOf(message),
      },
    ],
    usage: usageOf(message.usage),
  }),
  stream(message, id, model) {
    const chunk = (rest: object) => ({
      data: { ...headOf(id, model, 'chat.completion.chunk'), ...rest },
    })
    const delta = (value: object) =>
      chunk({ choices: [{ index: 0, delta: value, finish_reason: null }] })
    return [
      delta({ role: 'assistant', content: '' }),
      ...(message.text === undefined ? [] : [delta({ content: message.text })]),
      ...(message.calls?.length ? [delta(callsOf(message, id))] : []),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: finishOf(message) }] }),
      chunk({ choices: [], usage: usageOf(message.usage) }),
    ]
  },
  streamEnd: 'data: [DONE]\n\n',
  error: ({ message }) => ({ error: { message, type: 'error', code: null } }),
}

function headOf(id: string, model: string, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 1, model }
}

function finishOf({ calls = [] }: Message): string {
  return calls.length > 0 ? 'tool_calls' : 'stop'
}

function callsOf({ calls = [] }: Message, id: string) {
  if (calls.length === 0) return {}
  return {
    tool_calls: calls.map((call, index) => ({
      index,
      id: `call_${id}_${index}`,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
    })),
  }
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: ReplyUsage) {
  return {
    prompt_tokens: inputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}
