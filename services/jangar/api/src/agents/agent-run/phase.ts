import { runPhase } from '@agents/status'
import { agentRunConditions } from './conditions.ts'

/** Pending, Running, Succeeded, Failed or Cancelled, read from the conditions alone. */
export const agentRunPhase = runPhase(agentRunConditions)
