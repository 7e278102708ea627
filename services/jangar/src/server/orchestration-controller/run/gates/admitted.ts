import type { GateOf } from '@agents/controller'
import type { OrchestrationRun, orchestrationRunConditions } from '@agents/jangar-api'
import type { ReasonOf } from '@agents/status'
import { type AdmissionPolicy, evaluatePolicies } from '../../../admission/admission-policies.ts'
import { permittedVerdict } from '../../../admission/admitted-gate.ts'
import type { OrchestrationRunDetail, OrchestrationRunScope } from '../run-detail.ts'

type Admitted = GateOf<
  typeof orchestrationRunConditions,
  'Admitted',
  OrchestrationRun,
  OrchestrationRunDetail,
  OrchestrationRunScope
>

/** A condition for OrchestrationRuns to start their first steps. */
export type OrchestrationRunPolicy = AdmissionPolicy<
  OrchestrationRun,
  OrchestrationRunScope,
  ReasonOf<typeof orchestrationRunConditions, 'Admitted'>
>

/** Whether the policies let the run start. It needs no slot: the runs of its steps have their own. */
export function admitted(policies: readonly OrchestrationRunPolicy[]): Admitted {
  return {
    condition: 'Admitted',
    check: (run, _detail, { scope, signal }) =>
      permittedVerdict(run, () => evaluatePolicies(policies, run, scope, signal)),
  }
}
