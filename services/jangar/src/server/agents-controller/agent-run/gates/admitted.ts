import type { GateOf } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import type { Admission } from '../../../admission/admission.ts'
import { admittedVerdict, noQueue } from '../../../admission/admitted-gate.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'

type Admitted = GateOf<typeof agentRunConditions, 'Admitted', AgentRun, RunDetail, RunScope>

/** Whether the run has a slot. A run that has one keeps it. */
export function admitted(admission: Pick<Admission<AgentRun>, 'request'>): Admitted {
  return {
    condition: 'Admitted',
    check: (run, _detail, { scope }) =>
      admittedVerdict(run, () => {
        const resolution = scope.resolution()
        const repository = resolution.kind === 'resolved' ? resolution.work.repository : undefined
        return admission.request(run, { agent: run.spec.agentRef.name, repository })
      }),
    blockedDetail: () => noQueue,
  }
}
