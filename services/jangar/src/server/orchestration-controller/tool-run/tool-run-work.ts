import type { Tool, ToolRun } from '@agents/jangar-api'
import { computeAmounts } from '../../budgets/amounts.ts'
import { commonWork, nothingUsed, type Work } from '../../budgets/work.ts'
import { memoryRequests } from './memory-operation.ts'
import { specOf } from './tool-resolution.ts'

/** What a ToolRun counts against Budgets: what it requests, since tools use no models that the platform knows of. */
export function toolRunWork(run: ToolRun, tool: Tool | undefined, isActive: boolean): Work {
  const ofMemory = specOf(run).memory && { requests: memoryRequests, limits: {} }
  const { limits, requests } = ofMemory ?? tool?.spec.resources ?? {}
  return {
    ...commonWork(run, 'ToolRun', isActive),
    used: nothingUsed,
    requests: computeAmounts({ ...limits, ...requests }),
    reserve: {},
  }
}
