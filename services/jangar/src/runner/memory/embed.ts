import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryFailure } from './memory-failure.ts'

/** Where texts become vectors: the path /embeddings of OpenAI's API, which many servers have. */
export interface EmbeddingsApi {
  readonly url: string
  readonly model: string
  readonly token?: string | undefined
}

/** A text as a point in the space of its model. Those of different models cannot be compared. */
export interface Embedding {
  readonly model: string
  readonly values: readonly number[]
}

const requestMs = 30_000
const delaysMs = [500, 2000]
const largestAnswer = 4 * 1024 * 1024
/** The most that the extension vector stores. */
const mostValues = 16_000

/** Overloaded servers are asked again a few times. */
export async function embed(api: EmbeddingsApi, text: string): Promise<Embedding> {
  for (let attempt = 0; ; attempt += 1) {
    const delay = delaysMs[attempt]
    const response = await post(api, text).catch(() => undefined)
    if (response?.ok) return { model: api.model, values: await valuesOf(response) }
    await response?.body?.cancel()
    const isTemporary = response === undefined || response.status === 429 || response.status >= 500
    if (!isTemporary || delay === undefined) throw failureOf(response)
    await sleep(delay)
  }
}

function post({ url, model, token }: EmbeddingsApi, text: string): Promise<Response> {
  return fetch(`${url.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ model, input: text, encoding_format: 'float' }),
    // The token is for this server alone.
    redirect: 'error',
    signal: AbortSignal.timeout(requestMs),
  })
}

/** All network errors have the same message, as those of stores. */
function failureOf(response: Response | undefined): MemoryFailure {
  return new MemoryFailure(
    response === undefined
      ? 'the API of the embeddings is not reachable'
      : `the API of the embeddings answers with status ${response.status}`,
  )
}

async function valuesOf(response: Response): Promise<readonly number[]> {
  const values = await readValues(response).catch(() => undefined)
  const isValid =
    Array.isArray(values) &&
    values.length > 0 &&
    values.length <= mostValues &&
    values.every((value) => typeof value === 'number' && Number.isFinite(value))
  if (isValid) return values
  throw new MemoryFailure('the API of the embeddings does not answer with a vector')
}

async function readValues(response: Response): Promise<unknown> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true })
    if (text.length > largestAnswer) return undefined
  }
  const answer: { data?: { embedding?: unknown }[] } | null = JSON.parse(text)
  return answer?.data?.[0]?.embedding
}
