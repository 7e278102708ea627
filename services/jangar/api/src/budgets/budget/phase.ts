import { phaseTable } from '@agents/status'
import { budgetConditions } from './conditions.ts'

export const budgetPhase = phaseTable(budgetConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'All limits have capacity left.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Exceeded', when: { WithinLimits: 'False' }, doc: 'A limit is reached.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
