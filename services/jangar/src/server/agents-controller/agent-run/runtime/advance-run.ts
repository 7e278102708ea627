import type { GateContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { advanceRun as advance } from '../../../jobs/advance-run.ts'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { jobRuntime } from './job-runtime.ts'
import { lostDetail } from './result-detail.ts'
import type { AgentRunProgress, Runtime, WorkFactory } from './runtime.ts'
import { workflowRuntime } from './workflow-runtime.ts'

/** Takes the next step of an admitted run, which may create a Job. Stops one that is cancelled, late or overspent. */
export function advanceRun(
  run: AgentRun,
  jobs: AttemptJobs<AgentRun>,
  factory: WorkFactory,
  context: GateContext,
  budgetStop?: (run: AgentRun) => string | undefined,
): Promise<AgentRunProgress> {
  const runtime = runtimeOf(run)
  const execution = {
    advance: (_run: AgentRun, mayStart: boolean) =>
      runtime.advance(run, { ...context, jobs, factory, mayStart }),
    stopped: (
      known: AgentRun,
      message: string,
      now: Date,
      failure?: AgentRunProgress['failure'],
    ) => ({
      ...runtime.stopped(known, message, now),
      ...lostDetail(known),
      ...(known.status?.failureClass === 'Evicted' && {
        // No node was lost: the platform ended the pod.
        failureClass: failure === 'TimedOut' ? 'Timeout' : run.status?.failureClass,
      }),
    }),
    ...(budgetStop && { budgetStop }),
  }
  return advance(run, jobs, execution, context)
}

function runtimeOf({ spec }: AgentRun): Runtime {
  return spec.runtime.type === 'workflow' ? workflowRuntime : jobRuntime
}
