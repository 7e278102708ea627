import { type GateOf, pass } from '@agents/controller'
import type { Schedule, scheduleConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'

export function targetResolved({
  agentRuns,
}: Pick<AgentsCaches, 'agentRuns'>): GateOf<typeof scheduleConditions, 'TargetResolved', Schedule> {
  return {
    condition: 'TargetResolved',
    check: ({ metadata: { namespace }, spec: { targetRef } }) => {
      if (targetRef === undefined) return pass('Inline', 'the schedule contains the run')
      const { name } = targetRef
      if (agentRuns.get(formatKey({ namespace, name })) === undefined) {
        return waitFor(
          'TargetMissing',
          `AgentRun ${name} does not exist; create it, or put the run into spec.template`,
        )
      }
      return pass('Resolved', `AgentRun ${name} exists`)
    },
  }
}
