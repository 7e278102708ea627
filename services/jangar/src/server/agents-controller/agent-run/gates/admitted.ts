import type { GateOf } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import type { Admission } from '../../../admission/admission.ts'
import type { WaitingReason } from '../../../admission/admission-decision.ts'
import { type AdmissionPolicy, evaluatePolicies } from '../../../admission/admission-policies.ts'
import { admittedVerdict, noQueue } from '../../../admission/admitted-gate.ts'
import { exclusiveWorkspaces } from '../run-demand.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'
import { withRepositoryOutcome } from './run-outcome.ts'

type Admitted = GateOf<typeof agentRunConditions, 'Admitted', AgentRun, RunDetail, RunScope>

type Reason = ReasonOf<typeof agentRunConditions, 'Admitted'>

/** A condition for AgentRuns to take a slot. */
export type AgentRunPolicy = AdmissionPolicy<AgentRun, RunScope, Reason>

/** Whether the policies let the run start, and it has a slot. A run that has one keeps it. */
export function admitted(
  admission: Pick<Admission<AgentRun>, 'request' | 'holds' | 'forget'>,
  policies: readonly AgentRunPolicy[],
  caches: Parameters<typeof exclusiveWorkspaces>[1],
): Admitted {
  return {
    condition: 'Admitted',
    check: async (run, detail, { scope, signal }) => {
      const verdict = await admittedVerdict<Reason, Reason & WaitingReason>(run, {
        holds: () => admission.holds(run),
        evaluate: () => evaluatePolicies(policies, run, scope, signal),
        leave: () => admission.forget(formatKey(run.metadata)),
        isUrgent: scope.isUrgent(),
        request: () => {
          const resolution = scope.resolution()
          const repository = resolution.kind === 'resolved' ? resolution.work.repository : undefined
          const workspaces = exclusiveWorkspaces(run, caches)
          return admission.request(run, { agent: run.spec.agentRef.name, repository, workspaces })
        },
      })
      return withRepositoryOutcome<Reason>(run, detail, verdict)
    },
    blockedDetail: () => noQueue,
  }
}
