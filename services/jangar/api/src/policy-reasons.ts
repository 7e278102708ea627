/** Reasons of Admitted for runs that Budgets keep from starting. */
export const budgetReasons = {
  BudgetExhausted: 'A limit of a Budget is reached; see the message.',
  BudgetUnavailable: 'A Budget of the run is invalid, or the one that it names does not exist.',
} as const

/** Reasons of Admitted for runs that a policy keeps from starting. */
export const approvalReasons = {
  WaitingForApproval: 'The approval is pending.',
  PolicyMissing: 'An ApprovalPolicy that must approve the run does not exist.',
  ApprovalDenied: 'The approval was denied.',
  ApprovalExpired: 'The approval was not granted in time, or expired before the run started.',
} as const
