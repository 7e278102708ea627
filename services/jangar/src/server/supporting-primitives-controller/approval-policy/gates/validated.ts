import { type GateOf, pass, stall } from '@agents/controller'
import type { ApprovalPolicy, approvalPolicyConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { type ApprovalCaches, requestsByPolicy } from '../../../caches/approval-caches.ts'
import { approvalRules } from '../../../primitives-policy/approvals/approval-rules.ts'

type Status = NonNullable<ApprovalPolicy['status']>
type Detail = Pick<Status, 'lastDecisionAt'>
type Validated = GateOf<typeof approvalPolicyConditions, 'Validated', ApprovalPolicy, Detail>

/** Whether the policy can be applied. */
export function validated({
  approvalRequests,
}: Pick<ApprovalCaches, 'approvalRequests'>): Validated {
  return {
    condition: 'Validated',
    check: (policy) => {
      const ends = approvalRequests
        .byIndex(requestsByPolicy, formatKey(policy.metadata))
        .flatMap(({ status }) => status?.finishedAt ?? [])
      // Requests are deleted with their runs, so the last one may be gone.
      const last = [...ends, policy.status?.lastDecisionAt ?? ''].toSorted().at(-1)
      const extra = last ? { detail: { lastDecisionAt: last } } : {}
      const rules = approvalRules(policy)
      if ('reason' in rules) return stall(rules.reason, rules.message, extra)
      return pass('Valid', 'the policy is in effect', extra)
    },
  }
}
