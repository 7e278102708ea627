import {
  type AgentEvent,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  usageEvent,
} from './agent-event.ts'
import { toolDetail } from './tool-detail.ts'

/** `codex exec --json`. */
export function codexEvents(line: JsonObject): readonly AgentEvent[] | undefined {
  switch (line.type) {
    case 'thread.started':
      return typeof line.thread_id === 'string' ? [] : undefined
    case 'turn.started':
    case 'item.updated':
      return []
    case 'item.started':
      return startedItem(objectIn(line, 'item'))
    case 'item.completed':
      return completedItem(objectIn(line, 'item'))
    case 'turn.completed': {
      const usage = objectIn(line, 'usage')
      return usageEvent({
        input: numberIn(usage, 'input_tokens'),
        cached: numberIn(usage, 'cached_input_tokens'),
        output: numberIn(usage, 'output_tokens'),
      })
    }
    case 'turn.failed':
      return failure(textIn(objectIn(line, 'error'), 'message'))
    case 'error':
      return typeof line.message === 'string' ? failure(line.message) : undefined
    default:
      return undefined
  }
}

function startedItem(item: JsonObject): readonly AgentEvent[] {
  switch (item.type) {
    case 'command_execution':
      return [{ is: 'tool', name: 'shell', detail: shellScript(textIn(item, 'command')) }]
    case 'mcp_tool_call':
      return [
        {
          is: 'tool',
          name: `${textIn(item, 'server')}.${textIn(item, 'tool')}`,
          detail: toolDetail(item.arguments),
        },
      ]
    default:
      return []
  }
}

function completedItem(item: JsonObject): readonly AgentEvent[] {
  switch (item.type) {
    case 'agent_message':
      return [{ is: 'message', text: textIn(item, 'text') }]
    case 'reasoning':
      return [{ is: 'thought', text: textIn(item, 'text') }]
    case 'command_execution':
      return [
        {
          is: 'result',
          ok: item.exit_code === 0,
          text: textIn(item, 'aggregated_output'),
        },
      ]
    case 'mcp_tool_call': {
      const error = textIn(objectIn(item, 'error'), 'message')
      return [
        { is: 'result', ok: item.status !== 'failed', text: error || contentText(item.result) },
      ]
    }
    case 'file_change':
      return objectsIn(item, 'changes').map((change) => ({
        is: 'change',
        path: textIn(change, 'path'),
        how: textIn(change, 'kind'),
      }))
    case 'web_search':
      return [{ is: 'tool', name: 'web search', detail: textIn(item, 'query') }]
    case 'todo_list':
      return [
        {
          is: 'plan',
          steps: objectsIn(item, 'items').map((step) => ({
            text: textIn(step, 'text'),
            done: step.completed === true,
          })),
        },
      ]
    case 'error':
      return failure(textIn(item, 'message'))
    default:
      return []
  }
}

/** Codex wraps each command: `/bin/bash -lc 'npm test'`, or in double quotes if the command has single ones. */
function shellScript(command: string): string {
  const [, single, double] = /^\S*sh -l?c (?:'(.*)'|"(.*)")$/s.exec(command) ?? []
  if (single !== undefined) return single.replaceAll(`'\\''`, `'`)
  return double === undefined ? command : double.replace(/\\(["\\$`])/g, '$1')
}

function contentText(result: unknown): string {
  const holder = typeof result === 'object' && result !== null ? (result as JsonObject) : {}
  return objectsIn(holder, 'content')
    .map((part) => textIn(part, 'text'))
    .join('\n')
}

function failure(text: string): readonly AgentEvent[] {
  return [{ is: 'error', text }]
}
