import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const approvalPolicyConditions = livingConditions({
  gates: [
    validated({
      UnsupportedMode: 'The mode is not supported.',
      UnsupportedDecision: 'The default decision is not supported.',
      NoApprovers: 'The mode needs approvers, and none are specified.',
      QuorumUnreachable: 'The quorum is larger than the number of approvers.',
      InvalidApprover: 'An approver has no name, or has a namespace that it cannot have.',
      InvalidSubject:
        'A subject has a kind that is not supported, no name, or is in another namespace.',
    }),
  ],
})
