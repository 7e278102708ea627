import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const approvalPolicyConditions = livingConditions({
  gates: [
    validated({
      UnsupportedMode: 'The mode is not one that the platform knows.',
      UnsupportedDecision: 'The default decision is not one that the platform knows.',
      NoApprovers: 'Somebody has to decide, and nobody may.',
      QuorumUnreachable: 'More must agree than there are approvers.',
    }),
  ],
})
