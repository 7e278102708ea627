import { type GateOf, pass } from '@agents/controller'
import type { AgentRun, agentRunConditions } from '@agents/jangar-api'
import { containerStarted, startedVerdict } from '../../../jobs/progress-verdict.ts'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'
import type { AgentRunProgress } from '../runtime/runtime.ts'
import { withRepositoryOutcome } from './run-outcome.ts'

type Started = GateOf<typeof agentRunConditions, 'Started', AgentRun, RunDetail, RunScope>

/** Creates the Job of an admitted run if it has none, or reports its progress. */
export type CreateOrObserveJob = (scope: RunScope) => Promise<AgentRunProgress>

/** Whether the container of the run has started. Evaluating this gate creates the Job. */
export function started(createOrObserveJob: CreateOrObserveJob): Started {
  return {
    condition: 'Started',
    check: async (run, detail, { scope }) => {
      if (isTrue(run, 'Started')) {
        return pass('Started', conditionOf(run, 'Started')?.message ?? containerStarted)
      }
      const progress = await createOrObserveJob(scope)
      const verdict = startedVerdict(progress, { isUrgent: scope.isUrgent() })
      return withRepositoryOutcome(run, detail, verdict)
    },
  }
}
