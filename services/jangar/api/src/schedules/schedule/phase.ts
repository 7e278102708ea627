import { phaseTable } from '@agents/status'
import { scheduleConditions } from './conditions.ts'

export const schedulePhase = phaseTable(scheduleConditions, [
  { phase: 'Suspended', when: { Scheduled: 'True/Suspended' }, doc: 'The schedule is suspended.' },
  { phase: 'Active', when: { Ready: 'True' }, doc: 'Runs are started when they are due.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
