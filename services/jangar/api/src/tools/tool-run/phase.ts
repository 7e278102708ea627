import { runPhase } from '@agents/status'
import { toolRunConditions } from './conditions.ts'

export const toolRunPhase = runPhase(toolRunConditions)
