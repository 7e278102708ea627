import type {
  ApprovalPolicyProblem,
  ApprovalRules,
} from '../../primitives-policy/approvals/approval-rules.ts'

/** What the gates of one reconcile share. */
export interface RequestScope {
  /** Undefined if the policy does not exist. */
  readonly rules: ApprovalRules | ApprovalPolicyProblem | undefined
}
