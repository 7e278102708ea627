import { phaseTable } from '@agents/status'
import { toolConditions } from './conditions.ts'

export const toolPhase = phaseTable(toolConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'It can be run.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
