import {
  type AgentEvent,
  type JsonObject,
  numberIn,
  objectIn,
  textIn,
  usageEvent,
} from './agent-event.ts'
import { changedFile, toolDetail } from './tool-detail.ts'

const editingTools = new Map([
  ['write_file', 'write'],
  ['replace', 'update'],
])

/** `gemini --output-format stream-json`. */
export function geminiCliEvents(line: JsonObject): readonly AgentEvent[] | undefined {
  switch (line.type) {
    case 'init':
      return typeof line.session_id === 'string' ? [] : undefined
    case 'message':
      return message(line)
    case 'tool_use':
      return typeof line.tool_name === 'string' ? [call(line)] : undefined
    case 'tool_result':
      return typeof line.tool_id === 'string' ? [result(line)] : undefined
    case 'error':
      return typeof line.severity === 'string'
        ? [{ is: 'error', text: textIn(line, 'message') }]
        : undefined
    case 'result':
      return typeof line.status === 'string' ? ending(line) : undefined
    default:
      return undefined
  }
}

function message(line: JsonObject): readonly AgentEvent[] | undefined {
  if (typeof line.content !== 'string' || typeof line.role !== 'string') return undefined
  // What the user said is the task, which the person who reads this has written.
  if (line.role !== 'assistant') return []
  return [{ is: 'message', text: line.content, ...(line.delta === true && { partial: true }) }]
}

function call(line: JsonObject): AgentEvent {
  const name = textIn(line, 'tool_name')
  const input = objectIn(line, 'parameters')
  const how = editingTools.get(name)
  const path = how && changedFile(input)
  if (how !== undefined && path !== undefined) return { is: 'change', path, how }
  return { is: 'tool', name, detail: toolDetail(input) }
}

function result(line: JsonObject): AgentEvent {
  const error = textIn(objectIn(line, 'error'), 'message')
  return { is: 'result', ok: line.status !== 'error', text: error || textIn(line, 'output') }
}

function ending(line: JsonObject): readonly AgentEvent[] {
  const stats = objectIn(line, 'stats')
  const counts = usageEvent({
    input: numberIn(stats, 'input_tokens'),
    cached: numberIn(stats, 'cached') || undefined,
    output: numberIn(stats, 'output_tokens'),
  })
  if (line.status !== 'error') return counts
  return [{ is: 'error', text: textIn(objectIn(line, 'error'), 'message') }, ...counts]
}
