import { listOf, optional, type ReadBy, record, someText, text } from '../reader/reader.ts'

/** A variable or header of a server: a value, or the environment variable of the container that holds a Secret. */
const mcpSetting = record({
  name: someText,
  value: optional(text),
  variable: optional(someText),
  /** Stands before the value of the variable. */
  prefix: optional(text),
})

/** An MCP server of the agent: a program, or a URL. */
export const mcpServer = record({
  name: someText,
  command: optional(someText),
  args: optional(listOf(text)),
  env: optional(listOf(mcpSetting)),
  url: optional(someText),
  headers: optional(listOf(mcpSetting)),
  tools: optional(listOf(text)),
})

export type McpServer = ReadBy<typeof mcpServer>

const variablePrefix = 'AGENT_MCP_'

/** The variable that holds a Secret of a server. Both numbers count from 0. */
export function mcpVariable(server: number, setting: number): string {
  return `${variablePrefix}${server}_${setting}`
}

/** Whether the variable is for an MCP server only. */
export function isMcpVariable(name: string): boolean {
  return name.startsWith(variablePrefix)
}
