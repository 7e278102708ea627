import type { GateOf } from '@agents/controller'
import type { ToolRun, toolRunConditions } from '@agents/jangar-api'
import type { Admission } from '../../../admission/admission.ts'
import { admittedVerdict, noQueue } from '../../../admission/admitted-gate.ts'
import type { ToolRunDetail } from '../tool-run-detail.ts'
import type { ToolRunScope } from '../tool-run-scope.ts'

type Admitted = GateOf<typeof toolRunConditions, 'Admitted', ToolRun, ToolRunDetail, ToolRunScope>

/** Whether the run has a slot. A run that has one keeps it. */
export function admitted(admission: Pick<Admission<ToolRun>, 'request'>): Admitted {
  return {
    condition: 'Admitted',
    check: (run) => admittedVerdict(run, () => admission.request(run, {})),
    blockedDetail: () => noQueue,
  }
}
