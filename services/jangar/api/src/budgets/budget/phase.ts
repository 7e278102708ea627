import { phaseTable } from '@agents/status'
import { budgetConditions } from './conditions.ts'

export const budgetPhase = phaseTable(budgetConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'There is something left.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Exceeded', when: { WithinLimits: 'False' }, doc: 'A limit is reached.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
