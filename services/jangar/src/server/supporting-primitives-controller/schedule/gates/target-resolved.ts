import { type GateOf, pass, stall } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import type { RunKinds } from '../run-kinds.ts'
import type { ScheduleDetail } from '../schedule-detail.ts'
import { targetProblem, targetUidOf } from '../scheduled-run.ts'

type TargetResolved = GateOf<typeof scheduleConditions, 'TargetResolved', Schedule, ScheduleDetail>

/**
 * Whether there is a run to start or to copy. Runs are started on behalf of whoever last changed the spec of the
 * schedule, and the spec of a run does not change. So a target that was deleted and created again, perhaps by somebody
 * else, is not copied before the spec of the schedule changes.
 */
export function targetResolved(kinds: RunKinds): TargetResolved {
  return {
    condition: 'TargetResolved',
    check: (schedule) => {
      const { namespace } = schedule.metadata
      const { targetRef } = schedule.spec
      if (targetRef === undefined) {
        return pass('Inline', 'the schedule contains the run', { detail: noTarget })
      }
      const { kind, name } = targetRef
      const target = kinds.get(kind)?.cache.get(formatKey({ namespace, name }))
      if (target === undefined) {
        const message = `${kind} ${name} does not exist; create it, or put the run into spec.template`
        const detail: ScheduleDetail = { targetUid: targetUidOf(schedule) }
        return waitFor('TargetMissing', message, { detail })
      }
      const problem = targetProblem(schedule, target)
      if (problem !== undefined) return stall('TargetReplaced', problem)
      const detail: ScheduleDetail = { targetUid: target.metadata.uid }
      return pass('Resolved', `${kind} ${name} exists`, { detail })
    },
    blockedDetail: () => noTarget,
  }
}

const noTarget: ScheduleDetail = { targetUid: undefined }
