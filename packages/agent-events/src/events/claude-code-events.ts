import {
  type AgentEvent,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  sumIn,
  textIn,
  usageEvent,
} from './agent-event.ts'
import { changedFile, toolDetail } from './tool-detail.ts'

const editingTools = new Map([
  ['Write', 'write'],
  ['Edit', 'update'],
  ['MultiEdit', 'update'],
  ['NotebookEdit', 'update'],
])

/** `claude -p --output-format stream-json --verbose`. */
export function claudeCodeEvents(line: JsonObject): readonly AgentEvent[] | undefined {
  switch (line.type) {
    case 'system':
      return typeof line.subtype === 'string' ? systemNote(line) : undefined
    case 'assistant':
      return isMessage(line) ? contentOf(line).flatMap(spoken) : undefined
    case 'user':
      return isMessage(line) ? contentOf(line).flatMap(returned) : undefined
    case 'stream_event':
    case 'rate_limit_event':
      return []
    case 'result':
      return typeof line.subtype === 'string' ? ending(line) : undefined
    default:
      return undefined
  }
}

function systemNote(line: JsonObject): readonly AgentEvent[] {
  if (line.subtype !== 'api_retry') return []
  const { attempt, max_retries: most, error_status: status } = line
  return [
    { is: 'error', text: `${textIn(line, 'error')} (${status}), retry ${attempt} of ${most}` },
  ]
}

function isMessage(line: JsonObject): boolean {
  return typeof line.message === 'object' && line.message !== null
}

function contentOf(line: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(line, 'message'), 'content')
}

function spoken(part: JsonObject): readonly AgentEvent[] {
  switch (part.type) {
    case 'text':
      return [{ is: 'message', text: textIn(part, 'text') }]
    case 'thinking':
      return [{ is: 'thought', text: textIn(part, 'thinking') }]
    case 'tool_use': {
      const name = textIn(part, 'name')
      const input = objectIn(part, 'input')
      const how = editingTools.get(name)
      const path = how && changedFile(input)
      if (how !== undefined && path !== undefined) return [{ is: 'change', path, how }]
      if (name === 'TodoWrite') return [plan(input)]
      return [{ is: 'tool', name, detail: toolDetail(input) }]
    }
    default:
      return []
  }
}

function plan(input: JsonObject): AgentEvent {
  return {
    is: 'plan',
    steps: objectsIn(input, 'todos').map((step) => ({
      text: textIn(step, 'content'),
      done: step.status === 'completed',
    })),
  }
}

function returned(part: JsonObject): readonly AgentEvent[] {
  if (part.type !== 'tool_result') return []
  const text =
    typeof part.content === 'string'
      ? part.content
      : objectsIn(part, 'content')
          .map((inner) => textIn(inner, 'text'))
          .join('\n')
  return [{ is: 'result', ok: part.is_error !== true, text }]
}

/** The text of the result is the last message, which was shown already. */
function ending(line: JsonObject): readonly AgentEvent[] {
  const usage = objectIn(line, 'usage')
  const cached = numberIn(usage, 'cache_read_input_tokens')
  const counts = usageEvent({
    input: sumIn(usage, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    cached: cached === 0 ? undefined : cached,
    output: numberIn(usage, 'output_tokens'),
    dollars: numberIn(line, 'total_cost_usd'),
  })
  if (line.is_error !== true) return counts
  return [{ is: 'error', text: textIn(line, 'result') || textIn(line, 'subtype') }, ...counts]
}
