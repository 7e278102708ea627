import { phaseTable } from '@agents/status'
import { workspaceConditions } from './conditions.ts'

export const workspacePhase = phaseTable(workspaceConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The volume is there.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Expired', when: { VolumeBound: 'False/Expired' }, doc: 'Its time is over.' },
  { phase: 'Failed', when: { VolumeBound: 'False/VolumeLost' }, doc: 'The volume is lost.' },
  { phase: 'Pending', doc: 'The volume is on its way.' },
])
