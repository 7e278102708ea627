import { runConditions } from '@agents/status'

export const approvalDecisionConditions = runConditions({
  gates: [
    {
      type: 'Verified',
      doc: {
        True: 'The API server verified who made the decision, or a setting allows that it does not.',
        False: 'The decision may have been made in the name of another user, and never counts.',
      },
      reasons: {
        Verified: 'The admission policies of the platform verified who made the decision.',
        UnverifiedAllowed: 'A setting of the platform allows decisions that are not verified.',
        Unverified: 'The admission policies of the platform were not in effect.',
      },
    },
    {
      type: 'Accepted',
      doc: {
        True: 'The ApprovalRequest exists, and the decision counts.',
        False: 'The decision waits for its ApprovalRequest, or does not count.',
      },
      reasons: {
        Accepted: 'The decision counts.',
        RequestMissing: 'The ApprovalRequest does not exist.',
        NotCounted: 'The ApprovalRequest has not taken the decision into account yet.',
        OtherDigest: 'The decision is about something else than what the request would run.',
        NotAnApprover: 'The user is not an approver of the ApprovalPolicy.',
        OwnRequest: 'Users cannot approve what they requested themselves.',
        Late: 'The decision was made after the deadline of the request.',
        AlreadyDecided: 'The user decided about the request before.',
        RequestFinished: 'The request was finished without this decision.',
      },
    },
  ],
})
