import { phaseTable } from '@agents/status'
import { secretBindingConditions } from './conditions.ts'

export const secretBindingPhase = phaseTable(secretBindingConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The permission is in effect.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
