import { phaseTable } from '@agents/status'
import { signalConditions } from './conditions.ts'

export const signalPhase = phaseTable(signalConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'The signal can be delivered.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
