import { type AgentEvent, isObject, type ReadEvents } from './agent-event.ts'
import { claudeCodeEvents } from './claude-code-events.ts'
import { codexEvents } from './codex-events.ts'
import { geminiCliEvents } from './gemini-cli-events.ts'
import { opencodeEvents } from './opencode-events.ts'

const readers: readonly ReadEvents[] = [
  opencodeEvents,
  claudeCodeEvents,
  geminiCliEvents,
  codexEvents,
]

/**
 * The events in a line, recognised by its form: the output of a run does not say which CLI printed it. Undefined for
 * everything else, which is shown as it is.
 */
export function readAgentEvents(line: string): readonly AgentEvent[] | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (!isObject(value) || typeof value.type !== 'string') return undefined
    for (const read of readers) {
      const events = read(value)
      if (events !== undefined) return events
    }
    return undefined
  } catch {
    return undefined
  }
}
