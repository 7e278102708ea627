import { type GateOf, pass } from '@agents/controller'
import type { ToolRun, toolRunConditions } from '@agents/jangar-api'
import { containerStarted, startedVerdict } from '../../../jobs/progress-verdict.ts'
import { conditionOf, isTrue } from '../../../kubernetes/condition-of.ts'
import type { ToolRunDetail } from '../tool-run-detail.ts'
import type { ToolRunScope } from '../tool-run-scope.ts'

type Started = GateOf<typeof toolRunConditions, 'Started', ToolRun, ToolRunDetail, ToolRunScope>

/** Whether the container of the run has started. Evaluating this gate creates the Job. */
export const started: Started = {
  condition: 'Started',
  check: async (run, _detail, { scope }) => {
    if (isTrue(run, 'Started')) {
      return pass('Started', conditionOf(run, 'Started')?.message ?? containerStarted)
    }
    return startedVerdict(await scope.progress(), { isUrgent: scope.isUrgent() })
  },
}
