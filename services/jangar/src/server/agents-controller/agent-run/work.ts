import {
  cancelled,
  failed,
  type GateContext,
  type RunGateVerdict,
  succeeded,
  wait,
} from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { Failure } from './progress.ts'
import type { RunDetail } from './run-detail.ts'
import type { Looks } from './run-look.ts'

type WorkVerdict = RunGateVerdict<Failure | 'Running' | 'Retrying' | 'Cancelling', RunDetail>

/** How the work goes, or how it ended. */
export function work(
  looks: Looks,
): (run: AgentRun, detail: Partial<RunDetail>, context: GateContext) => Promise<WorkVerdict> {
  return async (run, _detail, context) => {
    const carried = await looks(run, context).carried()
    const { message, detail } = carried
    switch (carried.kind) {
      case 'succeeded':
        return succeeded(message, { detail })
      case 'failed':
        return failed(carried.failure ?? 'Failed', message, { detail })
      case 'cancelled':
        return cancelled(message, { detail })
      case 'running':
        return wait('Running', message, carried.retryAfterMs, { detail })
      case 'retrying':
        return wait('Retrying', message, carried.retryAfterMs, { detail })
      case 'cancelling':
        return wait('Cancelling', message, carried.retryAfterMs, { detail })
    }
  }
}
