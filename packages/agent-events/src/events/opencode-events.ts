import {
  type AgentEvent,
  type JsonObject,
  numberIn,
  objectIn,
  sumIn,
  textIn,
  usageEvent,
} from './agent-event.ts'
import { changedFile, toolDetail } from './tool-detail.ts'

const editingTools = new Map([
  ['write', 'write'],
  ['edit', 'update'],
  ['patch', 'update'],
])

/** `opencode run --format json`. Every line names its session. */
export function opencodeEvents(line: JsonObject): readonly AgentEvent[] | undefined {
  if (typeof line.sessionID !== 'string') return undefined
  const part = objectIn(line, 'part')
  switch (line.type) {
    case 'text':
      return [{ is: 'message', text: textIn(part, 'text') }]
    case 'reasoning':
      return [{ is: 'thought', text: textIn(part, 'text') }]
    case 'tool_use':
      return toolUse(part)
    case 'step_finish': {
      const tokens = objectIn(part, 'tokens')
      const counts = usageEvent({
        input: sumIn({ ...tokens, ...objectIn(tokens, 'cache') }, 'input', 'read', 'write'),
        cached: numberIn(objectIn(tokens, 'cache'), 'read') || undefined,
        output: sumIn(tokens, 'output', 'reasoning'),
        dollars: numberIn(part, 'cost') || undefined,
      })
      return counts.map((event) => ({ ...event, adds: true }))
    }
    case 'error':
      return [{ is: 'error', text: errorText(objectIn(line, 'error')) }]
    default:
      return []
  }
}

/** A call is reported once, when it has ended. */
function toolUse(part: JsonObject): readonly AgentEvent[] {
  const name = textIn(part, 'tool')
  const state = objectIn(part, 'state')
  const input = objectIn(state, 'input')
  const ok = state.status !== 'error'
  const result: AgentEvent = {
    is: 'result',
    ok,
    text: ok ? textIn(state, 'output') : textIn(state, 'error'),
  }
  const how = editingTools.get(name)
  const path = how && changedFile(input)
  if (how !== undefined && path !== undefined && ok) return [{ is: 'change', path, how }]
  return [{ is: 'tool', name, detail: toolDetail(input) }, result]
}

function errorText(error: JsonObject): string {
  return textIn(objectIn(error, 'data'), 'message') || textIn(error, 'name')
}
