import { failed, type GateOf, pass } from '@agents/controller'
import type { ApprovalDecision, approvalDecisionConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { SupportingCaches } from '../../../caches/supporting-caches.ts'
import { isTrue } from '../../../kubernetes/condition-of.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import { approvalRules } from '../../../primitives-policy/approvals/approval-rules.ts'
import { decisionProblem } from '../../../primitives-policy/approvals/count-decisions.ts'

type Accepted = GateOf<typeof approvalDecisionConditions, 'Accepted', ApprovalDecision>

/** Whether the decision counts: its request lists the decisions that do. */
export function accepted(
  caches: Pick<SupportingCaches, 'approvalPolicies' | 'approvalRequests'>,
): Accepted {
  return {
    condition: 'Accepted',
    check: (decision) => {
      const { namespace, uid } = decision.metadata
      const { requestRef, approver } = decision.spec
      const request = caches.approvalRequests.get(formatKey({ namespace, name: requestRef.name }))
      if (request === undefined) {
        return waitFor('RequestMissing', `ApprovalRequest ${requestRef.name} does not exist`)
      }
      const { decisions = [] } = request.status ?? {}
      if (decisions.some((one) => one.uid === uid)) {
        return pass('Accepted', `counted by ApprovalRequest ${requestRef.name}`)
      }
      const policyKey = formatKey({ namespace, name: request.spec.policyRef.name })
      const policy = caches.approvalPolicies.get(policyKey)
      const rules = policy && approvalRules(policy)
      if (rules !== undefined && !('reason' in rules)) {
        const problem = decisionProblem(decision, request, rules)
        if (problem !== undefined) return failed(problem.reason, problem.message)
      }
      if (isTrue(request, 'Finished')) {
        const message = `ApprovalRequest ${requestRef.name} was finished without this decision`
        return failed('RequestFinished', message)
      }
      if (decisions.some(({ username }) => username === approver.username)) {
        const message = `${approver.username} decided about ApprovalRequest ${requestRef.name} before`
        return failed('AlreadyDecided', message)
      }
      return waitFor('NotCounted', `ApprovalRequest ${requestRef.name} has not counted it yet`)
    },
  }
}
