import { runConditions } from '@agents/status'

export const approvalRequestConditions = runConditions({
  gates: [
    {
      type: 'Accepted',
      doc: {
        True: 'The ApprovalPolicy exists and is ready.',
        False: 'The ApprovalPolicy does not exist or is not ready, and the request waits for it.',
      },
      reasons: {
        Accepted: 'The ApprovalPolicy exists and is ready.',
        PolicyMissing: 'The ApprovalPolicy does not exist.',
        PolicyNotReady: 'The ApprovalPolicy is not ready.',
      },
    },
    {
      type: 'Verified',
      doc: {
        True: 'The API server verifies who decides, or that is not needed.',
        False:
          'The API server does not verify who decides, or the requester is unknown: no decision counts.',
      },
      reasons: {
        Verified: 'The admission policies of the platform verify who decides.',
        NotRequired: 'The policy decides by itself.',
        UnverifiedAllowed: 'A setting of the platform allows decisions that are not verified.',
        Unverified:
          'The admission policies of the platform are not in effect, so that anybody could decide as another user.',
        RequesterUnknown:
          'It is unknown who requested the work, so that requesters could approve their own.',
      },
    },
  ],
  progress: {
    WaitingForDecision: 'Approvers have not decided yet.',
  },
  successes: { Approved: 'The work is approved.' },
  failures: {
    Denied: 'An approver or the policy denied the work.',
    Expired: 'The deadline passed without a decision.',
  },
})
