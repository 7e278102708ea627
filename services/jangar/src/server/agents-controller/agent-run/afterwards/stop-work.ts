import { type Step, stepDone, stepWaits } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { RunJobs } from '../run-jobs.ts'

/** A run that is deleted takes its work along; it goes when that has ended. */
export function stopWork(jobs: RunJobs): Step<AgentRun> {
  return {
    name: 'stop the work',
    run: async (run, { signal }) => {
      const remaining = [...jobs.unfinished(run), ...jobs.strays(run)]
      for (const job of remaining) await jobs.stop(job, signal)
      if (remaining.length === 0) return stepDone
      const names = remaining.map(({ metadata }) => metadata.name).join(', ')
      return stepWaits(`the end of ${names}`, recheckMs)
    },
  }
}

/** Their going is an event; this is for the one that got lost. */
const recheckMs = 15_000
