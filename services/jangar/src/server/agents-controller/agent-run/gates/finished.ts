import type { RunGateVerdict, ScopedContext } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { workVerdict } from '../../../jobs/progress-verdict.ts'
import type { RunDetail } from '../run-detail.ts'
import type { RunScope } from '../run-scope.ts'
import type { Failure } from '../runtime/failure.ts'
import { type WantsPullRequest, withRepositoryOutcome } from './run-outcome.ts'
import type { CreateOrObserveJob } from './started.ts'

type WorkVerdict = RunGateVerdict<Failure | 'Running' | 'Retrying' | 'Cancelling', RunDetail>

/** How the work of a started run proceeds, or how it finished. Creates the Jobs of retries and of further steps. */
export function finished(
  createOrObserveJob: CreateOrObserveJob,
  wantsPullRequest: WantsPullRequest,
): (
  run: AgentRun,
  detail: Partial<RunDetail>,
  context: ScopedContext<RunScope>,
) => Promise<WorkVerdict> {
  return async (run, detail, { scope }) => {
    const progress = await createOrObserveJob(scope)
    const verdict = workVerdict(progress, { isUrgent: scope.isUrgent() })
    return withRepositoryOutcome(run, detail, verdict, wantsPullRequest)
  }
}
