import { type GateOf, pass, wait } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import type { Admission } from '../../../admission/admission.ts'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'

type Admitted = GateOf<typeof agentRunConditions, 'Admitted', AgentRun, RunDetail, RunScope>

/** Whether the run has a slot. A run that has one keeps it. */
export function admitted(admission: Pick<Admission<AgentRun>, 'request'>): Admitted {
  return {
    condition: 'Admitted',
    check: (run, _detail, { scope }) => {
      if (isTrue(run, 'Admitted') || run.spec.cancel) {
        return pass('Admitted', conditionOf(run, 'Admitted')?.message ?? slotAssigned)
      }
      const resolution = scope.resolution()
      const repository = resolution.kind === 'resolved' ? resolution.work.repository : undefined
      const decision = admission.request(run, { agent: run.spec.agentRef.name, repository })
      if (decision.kind === 'admitted') return pass('Admitted', slotAssigned, { detail: noQueue })
      const { reason, message, position, eligibleAt, retryAfterMs } = decision
      const queue = { position, ...(eligibleAt && { eligibleAt: rfc3339(eligibleAt) }) }
      return wait(reason, message, retryAfterMs, { detail: { queue } })
    },
    blockedDetail: () => noQueue,
  }
}

const slotAssigned = 'a slot was assigned to the run'

const noQueue: Partial<RunDetail> = { queue: undefined }
