import { runPhase } from '@agents/status'
import { signalDeliveryConditions } from './conditions.ts'

export const signalDeliveryPhase = runPhase(signalDeliveryConditions)
