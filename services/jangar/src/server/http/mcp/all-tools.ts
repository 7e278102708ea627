import { memoryTools } from './memory-tools.ts'
import { type PerformedTool, routeTools, type Tool } from './tools.ts'

export const tools: readonly (Tool | PerformedTool)[] = [...routeTools, ...memoryTools]
