import { runPhase } from '@agents/status'
import { orchestrationRunConditions } from './conditions.ts'

export const orchestrationRunPhase = runPhase(orchestrationRunConditions)
