import {
  cached,
  memberOf,
  type OutputReading,
  textIn,
  tokensIn,
  usageOf,
} from './output-reading.ts'
import { errorReading } from './rate-limit.ts'

/** `codex exec --json`. Its input tokens include the cached ones, and a turn's usage is that of the thread so far. */
export function codex(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  switch (event.type) {
    case 'thread.started': {
      const session = textIn(event, 'thread_id')
      return session === undefined ? undefined : { session }
    }
    case 'turn.completed': {
      return totalOf(memberOf(event, 'usage'))
    }
    case 'item.completed': {
      const item = memberOf(event, 'item')
      const summary = textIn(item, 'text')
      const isMessage = item.type === 'agent_message' || item.item_type === 'assistant_message'
      if (isMessage) return { answer: true, ...(summary !== undefined && { summary }) }
      return tools.has(String(item.type)) ? { toolCalls: 1 } : undefined
    }
    case 'error':
    case 'turn.failed': {
      const error = textIn(event, 'message') ?? textIn(memberOf(event, 'error'), 'message')
      return error === undefined ? undefined : errorReading(error)
    }
    default:
      return undefined
  }
}

const tools = new Set(['command_execution', 'mcp_tool_call', 'file_change', 'web_search'])

/**
 * A line of the log that Codex keeps of a conversation. It names the model at the start of each turn, and counts after
 * each answer of the model.
 */
export function codexLog(event: Readonly<Record<string, unknown>>): OutputReading | undefined {
  const payload = memberOf(event, 'payload')
  if (event.type === 'turn_context') {
    const model = textIn(payload, 'model')
    return model === undefined ? undefined : { model }
  }
  if (event.type !== 'event_msg' || payload.type !== 'token_count') return undefined
  return totalOf(memberOf(memberOf(payload, 'info'), 'total_token_usage'))
}

function totalOf(counts: Readonly<Record<string, unknown>>): OutputReading | undefined {
  const usage = usageOf(
    tokensIn(counts, 'input_tokens'),
    tokensIn(counts, 'output_tokens'),
    cached(tokensIn(counts, 'cached_input_tokens')),
  )
  return usage && { usage }
}
