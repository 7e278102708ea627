import { phaseTable } from '@agents/status'
import { scheduleConditions } from './conditions.ts'

export const schedulePhase = phaseTable(scheduleConditions, [
  { phase: 'Suspended', when: { Scheduled: 'True/Suspended' }, doc: 'Paused on purpose.' },
  { phase: 'Active', when: { Ready: 'True' }, doc: 'Runs are started when they are due.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
