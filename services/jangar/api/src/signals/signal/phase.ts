import { phaseTable } from '@agents/status'
import { signalConditions } from './conditions.ts'

export const signalPhase = phaseTable(signalConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'It can be delivered.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
