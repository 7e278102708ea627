import { phaseTable } from '@agents/status'
import { orchestrationConditions } from './conditions.ts'

export const orchestrationPhase = phaseTable(orchestrationConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'It can be run.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
