import { isModelName, ofModel } from '../../run-contract/model-usage.ts'
import { addUsage, type Usage, withTotal } from '../../run-contract/usage.ts'
import {
  cached,
  memberOf,
  type OutputReading,
  textIn,
  tokensIn,
  usageOf,
} from './output-reading.ts'
import { errorReading } from './rate-limit.ts'

/** `gemini --output-format stream-json`: the result event; of `json`, an object that stands on one line. */
export function geminiCli(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  if (event.type === 'init') {
    const session = textIn(event, 'session_id')
    return session === undefined ? undefined : { session }
  }
  if (event.type === 'error') {
    const error = textIn(event, 'message')
    return error === undefined ? undefined : errorReading(error)
  }
  if (event.type === 'message' && event.role === 'assistant') {
    const summary = textIn(event, 'content')
    const answer = event.delta === true ? 'message' : true
    return summary === undefined ? undefined : { summary, isDelta: event.delta === true, answer }
  }
  // What follows a tool call is another message.
  if (event.type === 'tool_use') return { summary: '', toolCalls: 1 }
  const isResult = event.type === 'result' || (event.type === undefined && 'stats' in event)
  if (!isResult) return undefined
  const stats = memberOf(event, 'stats')
  const total = totalOf(stats)
  const each = usageByModel(memberOf(stats, 'models'))
  const sum = each.length === 0 ? undefined : each.reduce(addUsage)
  const usage = total && sum?.models ? { ...total, models: sum.models } : (total ?? sum)
  const summary = textIn(event, 'response')
  const error = textIn(memberOf(event, 'error'), 'message')
  return {
    ...(usage !== undefined && { usage }),
    ...(summary !== undefined && { summary }),
    ...(error !== undefined && errorReading(error)),
  }
}

/** The log of a conversation: a message of the model is written again when its tools have ended. */
export function geminiCliLog(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  const session = textIn(event, 'id')
  if (event.type !== 'gemini' || session === undefined) return undefined
  const counts = memberOf(event, 'tokens')
  const usage = usageOf(
    tokensIn(counts, 'input'),
    tokensIn(counts, 'output', 'thoughts'),
    cached(tokensIn(counts, 'cached')),
  )
  const total = withTotalTokens(usage, tokensIn(counts, 'total'))
  const model = textIn(event, 'model')
  return total && { session, usage: total, ...(model !== undefined && { model }) }
}

function totalOf(stats: Readonly<Record<string, unknown>>): Usage | undefined {
  return withTotalTokens(
    usageOf(
      tokensIn(stats, 'input_tokens'),
      tokensIn(stats, 'output_tokens'),
      cached(tokensIn(stats, 'cached')),
    ),
    tokensIn(stats, 'total_tokens'),
  )
}

/** The formats have other names for the counts. */
function usageByModel(models: Readonly<Record<string, unknown>>): readonly Usage[] {
  return Object.keys(models).flatMap((name) => {
    const model = memberOf(models, name)
    const usage = totalOf(model) ?? tokensOf(memberOf(model, 'tokens'))
    if (usage === undefined) return []
    return isModelName(name) ? { ...usage, models: [ofModel(name, withTotal(usage))] } : usage
  })
}

function tokensOf(counts: Readonly<Record<string, unknown>>): Usage | undefined {
  const usage = usageOf(
    tokensIn(counts, 'prompt'),
    tokensIn(counts, 'candidates', 'thoughts'),
    cached(tokensIn(counts, 'cached')),
  )
  return withTotalTokens(usage, tokensIn(counts, 'total'))
}

function withTotalTokens(usage: Usage | undefined, totalTokens: number | undefined) {
  return usage && { ...usage, ...(totalTokens !== undefined && { totalTokens }) }
}
