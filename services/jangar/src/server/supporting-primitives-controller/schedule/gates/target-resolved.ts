import { type GateOf, pass } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import type { RunKinds } from '../run-kinds.ts'

export function targetResolved(
  kinds: RunKinds,
): GateOf<typeof scheduleConditions, 'TargetResolved', Schedule> {
  return {
    condition: 'TargetResolved',
    check: ({ metadata: { namespace }, spec: { targetRef } }) => {
      if (targetRef === undefined) return pass('Inline', 'the schedule contains the run')
      const { kind, name } = targetRef
      if (kinds.get(kind)?.cache.get(formatKey({ namespace, name })) === undefined) {
        return waitFor(
          'TargetMissing',
          `${kind} ${name} does not exist; create it, or put the run into spec.template`,
        )
      }
      return pass('Resolved', `${kind} ${name} exists`)
    },
  }
}
