import { runPhase } from '@agents/status'
import { approvalRequestConditions } from './conditions.ts'

export const approvalRequestPhase = runPhase(approvalRequestConditions)
