import { phaseTable } from '@agents/status'
import { secretBindingConditions } from './conditions.ts'

export const secretBindingPhase = phaseTable(secretBindingConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The permission holds.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
