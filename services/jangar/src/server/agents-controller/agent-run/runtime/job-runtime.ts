import type { AgentRun } from '@agents/jangar-api'
import { advanceJobRun, type JobWork, stoppedJobRun } from '../../../jobs/job-runtime.ts'
import { jobFailure } from '../../../jobs/run-progress.ts'
import { limitsOf } from '../../../jobs/runtime-ref.ts'
import type { RunDetail } from '../run-detail.ts'
import { decidedBy } from './decided-by.ts'
import type { Failure } from './failure.ts'
import { endDetail, resultDetail } from './result-detail.ts'
import { type Runtime, type RuntimeContext, verifiedIn } from './runtime.ts'

/** Runs the work as one Job, and another Job for each further attempt. */
export const jobRuntime: Runtime = {
  advance: (run, context) => advanceJobRun(run, jobWork(run, context), context),
  stopped: stoppedJobRun,
}

function jobWork(
  run: AgentRun,
  { factory, signal }: Pick<RuntimeContext, 'factory' | 'signal'>,
): JobWork<RunDetail, Failure> {
  return {
    runnerLimitSeconds: run.spec.timeoutSeconds ?? 0,
    prepare: async (attempt) => {
      const resolution = factory.resolve(run, undefined)
      if (resolution.kind !== 'resolved') return resolution
      const { work } = resolution
      const permit = await factory.permit?.(run, work, signal)
      if (permit?.kind === 'refused') return permit
      const objects = factory.build(work, { run, attempt, ...verifiedIn(permit) })
      if (objects.kind === 'refused') return objects
      // Attempts have no time limit of their own: that of the run covers them.
      return { kind: 'prepared', objects, decided: decidedBy(work), limits: limitsOf(work, 0) }
    },
    resultDetail: (results) => resultDetail(run, results),
    retryDetail: (report) => endDetail(run, report),
    failureOf: (cause, report, limits) => {
      const reason = report.results?.report?.reason
      if (reason === 'ChangesRequired') return 'NoChanges'
      if (reason === 'PushPolicyViolated' || reason === 'SkillUnavailable') return reason
      if (reason === 'DocumentsChanged') return reason
      return jobFailure(cause, report, limits)
    },
  }
}
