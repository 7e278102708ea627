import { type Step, stepDone, stepWaits } from '@agents/controller'
import type { Condition, KubeObject } from '@agents/kube'
import { endOfRun } from '@agents/status'
import type { AttemptJobs } from './attempt-jobs.ts'
import { isBeingDeleted, jobOutcome } from './job-outcome.ts'

type FinishedRun = KubeObject & {
  readonly status?: {
    readonly finishedAt?: string | undefined
    readonly conditions?: readonly Partial<Condition>[] | undefined
  }
}

/**
 * Deletes the Jobs of a finished run after their time to live, counted from the end of the run: no Job is deleted
 * before its outcome is recorded, however long no controller was running. Jobs that are still active are stopped at
 * once.
 */
export function clearJobs<Run extends FinishedRun>(
  jobs: Pick<AttemptJobs<Run>, 'of' | 'unfinished' | 'stop'>,
  /** 0: Jobs are kept until the run is deleted. */
  ttlMs: (run: Run) => number,
): Step<Run> {
  return {
    name: 'delete finished Jobs',
    run: async (run, { now, signal }) => {
      const keptMs = ttlMs(run)
      const leftMs = (endOfRun(run) ?? now.getTime()) + keptMs - now.getTime()
      for (const job of jobs.unfinished(run)) await jobs.stop(job, signal)
      const finished = jobs.of(run).filter((job) => !isBeingDeleted(job) && jobOutcome(job))
      if (keptMs === 0 || finished.length === 0) return stepDone
      if (leftMs > 0) return stepWaits('the time to live of its Jobs has not passed', leftMs)
      for (const job of finished) await jobs.stop(job, signal)
      return stepDone
    },
  }
}
