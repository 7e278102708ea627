import { phaseTable } from '@agents/status'
import { approvalPolicyConditions } from './conditions.ts'

export const approvalPolicyPhase = phaseTable(approvalPolicyConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'It decides, or lets decide.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec has a mistake.' },
  { phase: 'Pending', doc: 'Not all is found out yet, or something is missing.' },
])
