import { runPhase } from '@agents/status'
import { approvalDecisionConditions } from './conditions.ts'

export const approvalDecisionPhase = runPhase(approvalDecisionConditions)
