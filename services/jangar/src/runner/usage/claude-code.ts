import { isModelName, ofModel } from '../../run-contract/model-usage.ts'
import { addUsage, formatDollars, type Usage, withTotal } from '../../run-contract/usage.ts'
import {
  cached,
  memberOf,
  membersOf,
  type OutputReading,
  textIn,
  tokensIn,
  usageOf,
} from './output-reading.ts'
import { errorReading, secondsOf } from './rate-limit.ts'

/**
 * `claude -p --output-format stream-json` or `json`: the result event. Its input tokens leave out what the cache gave.
 * How long the model asked to wait is in the events about requests that are repeated.
 */
export function claudeCode(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  if (event.type === 'system') return { ...sessionOf(event), ...limitOf(event) }
  if (event.type === 'assistant') return activityOf(memberOf(event, 'message'))
  if (event.type !== 'result') return undefined
  const dollars = formatDollars(event.total_cost_usd ?? event.cost_usd)
  const tokens = ofModels(memberOf(event, 'modelUsage')) ?? ofResult(memberOf(event, 'usage'))
  const usage = usageOf(undefined, undefined, {
    ...tokens,
    ...(dollars !== undefined && { dollars }),
  })
  const summary = textIn(event, 'result')
  return {
    ...sessionOf(event),
    ...(usage !== undefined && { usage }),
    ...(summary !== undefined && (event.is_error === true ? failure(event, summary) : { summary })),
  }
}

/** A message has an event for each of its parts. */
function activityOf(message: Counts): OutputReading {
  const answer = textIn(message, 'id')
  const toolCalls = membersOf(message, 'content').filter(({ type }) => type === 'tool_use').length
  return { ...(answer !== undefined && { answer }), ...(toolCalls > 0 && { toolCalls }) }
}

function sessionOf(event: Counts): OutputReading {
  const session = textIn(event, 'session_id')
  return session === undefined ? {} : { session }
}

/**
 * A line of the log that Claude Code keeps of a conversation. A message has several lines, each with the usage of the
 * whole message, so that its id takes the place of a conversation.
 */
export function claudeCodeLog(event: Counts): OutputReading | undefined {
  const message = memberOf(event, 'message')
  const session = textIn(message, 'id')
  const usage = ofResult(memberOf(message, 'usage'))
  const model = textIn(message, 'model')
  if (event.type !== 'assistant' || session === undefined) return undefined
  return usage && { session, usage, ...(model !== undefined && { model }) }
}

/** Of an event about a request that is repeated. */
function limitOf(event: Counts): OutputReading {
  if (event.subtype !== 'api_retry' || event.error_status !== 429) return {}
  return { isRateLimited: true, ...secondsOf(Number(event.retry_delay_ms) / 1000) }
}

function failure({ api_error_status: status }: Counts, error: string): OutputReading {
  return status === 429 ? { error, isRateLimited: true } : errorReading(error)
}

type Counts = Readonly<Record<string, unknown>>

function ofResult(counts: Counts): Usage | undefined {
  return usageOf(
    tokensIn(counts, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    tokensIn(counts, 'output_tokens'),
    cached(tokensIn(counts, 'cache_read_input_tokens')),
  )
}

/** Beside the main model, a small one may have been used. */
function ofModels(models: Counts): Usage | undefined {
  const each = Object.keys(models).flatMap((name) => {
    const counts = memberOf(models, name)
    const usage = usageOf(
      tokensIn(counts, 'inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens'),
      tokensIn(counts, 'outputTokens'),
      cached(tokensIn(counts, 'cacheReadInputTokens')),
    )
    if (usage === undefined) return []
    return isModelName(name) ? { ...usage, models: [ofModel(name, withTotal(usage))] } : usage
  })
  return each.length === 0 ? undefined : each.reduce(addUsage)
}
