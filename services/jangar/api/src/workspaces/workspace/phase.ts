import { phaseTable } from '@agents/status'
import { workspaceConditions } from './conditions.ts'

export const workspacePhase = phaseTable(workspaceConditions, [
  { phase: 'Ready', when: { Ready: 'True' }, doc: 'The volume is bound.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Expired', when: { VolumeBound: 'False/Expired' }, doc: 'The workspace expired.' },
  { phase: 'Failed', when: { VolumeBound: 'False/VolumeLost' }, doc: 'The volume is lost.' },
  { phase: 'Pending', doc: 'The volume is being provisioned.' },
])
