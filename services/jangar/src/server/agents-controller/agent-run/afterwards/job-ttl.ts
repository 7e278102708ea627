import { type Step, stepDone } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { RunJobs } from '../run-jobs.ts'
import { runtimeRefOf } from '../runtime/runtime-ref.ts'
import { isBeingDeleted } from '../task/job-outcome.ts'

/** Lets Kubernetes clear Jobs away, now that their outcome is on record. What still works, and should not, is stopped. */
export function releaseJobs(jobs: RunJobs, defaultTtlMs: number): Step<AgentRun> {
  return {
    name: 'let the Jobs go',
    run: async (run, { signal }) => {
      const seconds = runtimeRefOf(run)?.jobTtlSeconds ?? Math.ceil(defaultTtlMs / 1000)
      const unfinished = new Set(jobs.unfinished(run))
      for (const job of jobs.of(run)) {
        if (isBeingDeleted(job)) continue
        if (unfinished.has(job)) await jobs.stop(job, signal)
        else if (seconds > 0 && job.spec.ttlSecondsAfterFinished === undefined) {
          await jobs.setTtl(job, seconds, signal)
        }
      }
      return stepDone
    },
  }
}
