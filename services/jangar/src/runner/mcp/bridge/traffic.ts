import { parsedObject } from '../lines.ts'

/** What happens to a message of the CLI. */
type Passage = { readonly forward: string } | { readonly reply: string }

/** Looks at the messages between a CLI and a server, and hides tools that the agent does not use. */
export interface Traffic {
  toServer(line: string): Passage
  toClient(line: string): string
}

export function createTraffic(tools: readonly string[] | undefined, onAnswer: () => void): Traffic {
  const listings = new Set<unknown>()
  let hasAnswered = false
  return {
    toServer(line) {
      if (tools === undefined) return { forward: line }
      const { id, method, params } = parsedObject(line) ?? {}
      if (method === 'tools/list') listings.add(id)
      if (method !== 'tools/call' || tools.includes(nameIn(params))) return { forward: line }
      const error = { code: -32602, message: `Unknown tool: ${nameIn(params)}` }
      return { reply: JSON.stringify({ jsonrpc: '2.0', id, error }) }
    },
    toClient(line) {
      if (hasAnswered && listings.size === 0) return line
      const message = parsedObject(line)
      if (message?.id === undefined || typeof message.result !== 'object') return line
      if (!hasAnswered) onAnswer()
      hasAnswered = true
      if (!listings.delete(message.id)) return line
      const result = message.result as { readonly tools?: unknown } | null
      if (!Array.isArray(result?.tools)) return line
      const shown = result.tools.filter((tool: unknown) => tools?.includes(nameIn(tool)))
      return JSON.stringify({ ...message, result: { ...result, tools: shown } })
    },
  }
}

function nameIn(value: unknown): string {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : ''
  return typeof name === 'string' ? name : ''
}
