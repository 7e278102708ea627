import { type GateOf, pass, type Wait, wait } from '@agents/controller'
import type { OrchestrationRun, orchestrationRunConditions } from '@agents/jangar-api'
import { isTrue } from '../../../kubernetes/condition-of.ts'
import type { OrchestrationRunDetail, OrchestrationRunScope } from '../run-detail.ts'
import { endOf, staleMs, verdictOf } from '../verdict.ts'

type Started = GateOf<
  typeof orchestrationRunConditions,
  'Started',
  OrchestrationRun,
  OrchestrationRunDetail,
  OrchestrationRunScope
>

const stepStarted = 'the first step started'

/** Whether a step has started. Evaluating this gate starts the first ones. */
export const started: Started = {
  condition: 'Started',
  check: async (run, _detail, { scope, now }) => {
    if (isTrue(run, 'Started')) return pass('Started', stepStarted)
    const advanced = await scope.advance()
    // Without its graph in the status, a run would go on with another one after a crash.
    if (advanced === undefined) return wait('Submitting', 'the graph is recorded', 1)
    if (advanced.isStale) return wait('Submitting', 'the run has changed', staleMs)
    if (advanced.plan.steps.some(({ startedAt }) => startedAt !== undefined)) {
      return pass('Started', stepStarted)
    }
    const ended = endOf(advanced)
    if (ended !== undefined) return ended
    const { detail, retryAfterMs } = verdictOf(advanced, now) as Wait<
      string,
      OrchestrationRunDetail
    >
    return wait('Submitting', 'no step has started', retryAfterMs, detail && { detail })
  },
}
