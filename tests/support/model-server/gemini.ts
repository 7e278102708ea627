import { argumentsOf, type Message, type ModelApi, type ReplyUsage } from './reply.ts'

/** The Gemini API. */
export const gemini: ModelApi = {
  name: 'gemini',
  matches: (path) => /:(?:stream)?[gG]enerateContent$/.test(path),
  isStream: (_body, { pathname }) => pathname.endsWith(':streamGenerateContent'),
  whole: ({ usage, ...content }, id, model) =>
    chunkOf(partsOf(content), id, model, { usage, finishReason: 'STOP' }),
  stream: ({ usage, ...content }, id, model) => [
    ...partsOf(content)
      .flatMap(halved)
      .map((part) => ({ data: chunkOf([part], id, model, { usage }) })),
    { data: chunkOf([{ text: '' }], id, model, { usage, finishReason: 'STOP' }) },
  ],
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

type Part = { readonly text: string } | { readonly functionCall: object }

function partsOf({ text, calls = [] }: Pick<Message, 'text' | 'calls'>): Part[] {
  return [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map((call) => ({ functionCall: { name: call.name, args: argumentsOf(call) } })),
  ]
}

/** Text arrives in pieces. */
function halved(part: Part): Part[] {
  if (!('text' in part)) return [part]
  const middle = Math.ceil(part.text.length / 2)
  return [{ text: part.text.slice(0, middle) }, { text: part.text.slice(middle) }]
}

/** Only the last chunk of an answer has a reason for its end. */
function chunkOf(
  parts: readonly Part[],
  id: string,
  model: string,
  { usage, ...end }: { readonly usage: ReplyUsage; readonly finishReason?: string },
) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...end }],
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
