import { type Step, stepDone, stepWaits } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { RunJobs } from '../run-jobs.ts'
import { runtimeRefOf } from '../runtime/runtime-ref.ts'
import { isBeingDeleted, jobOutcome } from '../task/job-outcome.ts'

/**
 * Takes Jobs away when their time is over, which begins with the end of the run: so none goes before its outcome is on record,
 * however long nobody was there to record it. What still works, and should not, is stopped.
 */
export function clearJobs(
  jobs: Pick<RunJobs, 'of' | 'unfinished' | 'stop'>,
  defaultTtlMs: number,
): Step<AgentRun> {
  return {
    name: 'clear the Jobs away',
    run: async (run, { now, signal }) => {
      const { jobTtlSeconds } = runtimeRefOf(run) ?? {}
      const keptMs = jobTtlSeconds === undefined ? defaultTtlMs : jobTtlSeconds * 1000
      const leftMs = Date.parse(run.status?.finishedAt ?? '') + keptMs - now.getTime()
      for (const job of jobs.unfinished(run)) await jobs.stop(job, signal)
      const over = jobs.of(run).filter((job) => !isBeingDeleted(job) && jobOutcome(job))
      if (keptMs === 0 || over.length === 0) return stepDone
      if (leftMs > 0) return stepWaits('their time is not over', leftMs)
      for (const job of over) await jobs.stop(job, signal)
      return stepDone
    },
  }
}
