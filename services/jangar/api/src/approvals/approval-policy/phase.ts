import { phaseTable } from '@agents/status'
import { approvalPolicyConditions } from './conditions.ts'

export const approvalPolicyPhase = phaseTable(approvalPolicyConditions, [
  { phase: 'Active', when: { Ready: 'True' }, doc: 'The policy is in effect.' },
  { phase: 'Invalid', when: { Validated: 'False' }, doc: 'The spec is invalid.' },
  { phase: 'Pending', doc: 'The checks are not complete, or a dependency is missing.' },
])
