/** Reasons of Admitted for runs that a policy keeps from starting. */
export const approvalReasons = {
  WaitingForApproval: 'The approval is pending.',
  ApprovalDenied: 'The approval was denied.',
  ApprovalExpired: 'The approval was not granted in time, or expired before the run started.',
} as const
