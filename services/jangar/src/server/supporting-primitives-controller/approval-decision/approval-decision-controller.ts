import { type KindController, mappedSource, runReconciler, succeeded } from '@agents/controller'
import { type ApprovalDecision, approvalDecisionConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import { decisionsByRequest } from '../../caches/approval-caches.ts'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { accepted } from './gates/accepted.ts'
import { type VerifiedPorts, verified } from './gates/verified.ts'

interface ApprovalDecisionPorts extends VerifiedPorts {
  readonly caches: Pick<
    SupportingCaches,
    'approvalPolicies' | 'approvalRequests' | 'approvalDecisions'
  >
}

/** Reconciles ApprovalDecisions: each reports whether it counts, and if not, why. */
export function approvalDecisionController({
  caches,
  ...ports
}: ApprovalDecisionPorts): KindController<ApprovalDecision> {
  const { approvalRequests, approvalDecisions } = caches
  return {
    primary: approvalDecisions,
    reconciler: runReconciler({
      kind: 'ApprovalDecision',
      conditions: approvalDecisionConditions,
      gates: [verified(ports), accepted(caches)],
      work: ({ spec }) => succeeded(`counted by ApprovalRequest ${spec.requestRef.name}`),
      events: 'warnings',
    }),
    sources: [
      mappedSource('requests', approvalRequests, ({ metadata }) =>
        approvalDecisions
          .byIndex(decisionsByRequest, formatKey(metadata))
          .filter(({ status }) => !isFinished(status?.conditions))
          .map((decision) => decision.metadata),
      ),
    ],
    workers: 4,
  }
}
