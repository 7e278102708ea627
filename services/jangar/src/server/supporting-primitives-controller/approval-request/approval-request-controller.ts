import { type KindController, mappedSource, runReconciler } from '@agents/controller'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approvalRequestConditions,
} from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { decisionsByRequest } from '../../caches/approval-caches.ts'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { isTrue } from '../../kubernetes/condition-of.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { approvalRules } from '../../primitives-policy/approvals/approval-rules.ts'
import { decide, type RequestDetail } from './decide.ts'
import { accepted } from './gates/accepted.ts'
import { type VerifiedPorts, verified } from './gates/verified.ts'
import type { RequestScope } from './request-scope.ts'

interface ApprovalRequestPorts extends VerifiedPorts {
  readonly caches: Pick<
    SupportingCaches,
    'approvalPolicies' | 'approvalRequests' | 'approvalDecisions'
  >
}

/** Reconciles ApprovalRequests: counts the decisions about each, until it is approved, denied or expired. */
export function approvalRequestController({
  caches,
  ...ports
}: ApprovalRequestPorts): KindController<ApprovalRequest> {
  const { approvalPolicies, approvalRequests, approvalDecisions } = caches
  return {
    primary: approvalRequests,
    reconciler: runReconciler({
      kind: 'ApprovalRequest',
      conditions: approvalRequestConditions,
      scope: ({ metadata: { namespace }, spec }): RequestScope => {
        const policy = approvalPolicies.get(formatKey({ namespace, name: spec.policyRef.name }))
        return { rules: policy && approvalRules(policy) }
      },
      gates: [accepted, verified(ports)],
      work: (request, _detail: Partial<RequestDetail>, { scope: { rules }, now }) => {
        if (rules === undefined || 'reason' in rules) throw new TypeError('no policy is in effect')
        const decisions = approvalDecisions.byIndex(decisionsByRequest, formatKey(request.metadata))
        const open = decisions.filter(mayCount)
        return decide(request, rules, open, now)
      },
    }),
    sources: [
      mappedSource('decisions', approvalDecisions, ({ metadata: { namespace }, spec }) => [
        { namespace, name: spec.requestRef.name },
      ]),
      referrersSource('policy', approvalPolicies, approvalRequests, ({ spec }) => [
        spec.policyRef.name,
      ]),
    ],
    workers: 4,
  }
}

/**
 * What the API server did not verify when it was made never counts, and neither does a decision whose status says that
 * it does not: a later change of the policy must not bring it back.
 */
function mayCount(decision: ApprovalDecision): boolean {
  const isRejected = isTrue(decision, 'Finished') && !isTrue(decision, 'Succeeded')
  return isTrue(decision, 'Verified') && !isRejected
}
