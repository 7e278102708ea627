import { phaseTable } from '@agents/status'
import { toolConditions } from './conditions.ts'

export const toolPhase = phaseTable(toolConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'It can be executed.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
