import { type GateOf, pass, stall } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import type { RunKinds } from '../run-kinds.ts'
import type { ScheduleDetail } from '../schedule-detail.ts'

type TargetResolved = GateOf<typeof scheduleConditions, 'TargetResolved', Schedule, ScheduleDetail>

/**
 * Whether there is a run to start or to copy. Runs are started on behalf of whoever wrote the spec of the schedule, and
 * the spec of a run does not change. So a target that was deleted and created again, perhaps by somebody else, is not
 * copied before the spec is written again.
 */
export function targetResolved(kinds: RunKinds): TargetResolved {
  return {
    condition: 'TargetResolved',
    check: ({ metadata: { namespace, generation }, spec: { targetRef }, status }) => {
      if (targetRef === undefined) {
        return pass('Inline', 'the schedule contains the run', { detail: noTarget })
      }
      const { kind, name } = targetRef
      const target = kinds.get(kind)?.cache.get(formatKey({ namespace, name }))
      if (target === undefined) {
        return waitFor(
          'TargetMissing',
          `${kind} ${name} does not exist; create it, or put the run into spec.template`,
        )
      }
      const known = status?.observedGeneration === generation ? status?.targetUid : undefined
      if (known !== undefined && known !== target.metadata.uid) {
        return stall(
          'TargetReplaced',
          `${kind} ${name} was deleted and created again; change the spec of the schedule to copy the new one, or put the run into spec.template`,
        )
      }
      const detail: ScheduleDetail = { targetUid: target.metadata.uid }
      return pass('Resolved', `${kind} ${name} exists`, { detail })
    },
    blockedDetail: () => noTarget,
  }
}

const noTarget: ScheduleDetail = { targetUid: undefined }
