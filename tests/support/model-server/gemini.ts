import { argumentsOf, type Message, type ModelApi, type ReplyUsage } from './reply.ts'

/** The Gemini API. */
export const gemini: ModelApi = {
  name: 'gemini',
  matches: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
  isStream: (_body, { pathname }) => pathname.endsWith(':streamGenerateContent'),
  whole: chunkOf,
  stream: (message, id, model) => [{ data: chunkOf(message, id, model) }],
  error: ({ status, message }) => ({
    error: { code: status, message, status: statusNames[status] ?? 'INTERNAL' },
  }),
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

function chunkOf({ text, calls = [], usage }: Message, id: string, model: string) {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map((call) => ({ functionCall: { name: call.name, args: argumentsOf(call) } })),
  ]
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: usageOf(usage),
    modelVersion: model,
    responseId: id,
  }
}

function usageOf({ inputTokens, cachedInputTokens, outputTokens }: ReplyUsage) {
  return {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cachedInputTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  }
}
