import { type KindController, livingReconciler, mappedSource } from '@agents/controller'
import {
  type ApprovalPolicy,
  approvalPolicyConditions,
  approvalPolicyPhase,
} from '@agents/jangar-api'
import type { ApprovalCaches } from '../../caches/approval-caches.ts'
import { validated } from './gates/validated.ts'

/** Reconciles ApprovalPolicies: reports whether they can be applied, and when one was last decided about. */
export function approvalPolicyController({
  caches,
}: {
  readonly caches: ApprovalCaches
}): KindController<ApprovalPolicy> {
  return {
    primary: caches.approvalPolicies,
    reconciler: livingReconciler({
      kind: 'ApprovalPolicy',
      conditions: approvalPolicyConditions,
      gates: [validated(caches)],
      phase: approvalPolicyPhase,
    }),
    sources: [
      mappedSource(
        'approval requests',
        caches.approvalRequests,
        ({ metadata: { namespace }, spec }) => [{ namespace, name: spec.policyRef.name }],
        {
          add: ({ status }) => status?.finishedAt !== undefined,
          update: (before, after) => before.status?.finishedAt !== after.status?.finishedAt,
          delete: () => false,
        },
      ),
    ],
  }
}
