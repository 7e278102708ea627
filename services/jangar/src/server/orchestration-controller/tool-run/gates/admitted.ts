import type { GateOf } from '@agents/controller'
import type { ToolRun, toolRunConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import type { Admission } from '../../../admission/admission.ts'
import type { AdmissionDecision, WaitingReason } from '../../../admission/admission-decision.ts'
import { type AdmissionPolicy, evaluatePolicies } from '../../../admission/admission-policies.ts'
import { admittedVerdict, noQueue } from '../../../admission/admitted-gate.ts'
import type { ToolRunDetail } from '../tool-run-detail.ts'
import type { ToolRunScope } from '../tool-run-scope.ts'

type Admitted = GateOf<typeof toolRunConditions, 'Admitted', ToolRun, ToolRunDetail, ToolRunScope>

type ToolRunWait = Exclude<WaitingReason, 'WorkspaceInUse'>

/** A condition for ToolRuns to take a slot. */
export type ToolRunPolicy = AdmissionPolicy<
  ToolRun,
  ToolRunScope,
  ReasonOf<typeof toolRunConditions, 'Admitted'>
>

/** Whether the policies let the run start, and it has a slot. A run that has one keeps it. */
export function admitted(
  admission: Pick<Admission<ToolRun>, 'request' | 'holds' | 'forget'>,
  policies: readonly ToolRunPolicy[],
): Admitted {
  return {
    condition: 'Admitted',
    check: (run, _detail, { scope, signal }) =>
      admittedVerdict(run, {
        holds: () => admission.holds(run),
        evaluate: () => evaluatePolicies(policies, run, scope, signal),
        leave: () => admission.forget(formatKey(run.metadata)),
        isUrgent: scope.isUrgent(),
        // ToolRuns mount no Workspaces.
        request: () => admission.request(run, {}) as AdmissionDecision<ToolRunWait>,
      }),
    blockedDetail: () => noQueue,
  }
}
