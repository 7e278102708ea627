import { type Step, stepDone, stepWaits } from '@agents/controller'
import type { Job, KubeObject } from '@agents/kube'
import type { AttemptJobs } from './attempt-jobs.ts'

/** Stops all Jobs of a run that is being deleted. The run is deleted when they have ended. */
export function stopJobs<Run extends KubeObject>(
  jobs: Pick<AttemptJobs<Run>, 'unfinished' | 'strays' | 'stop'>,
): Step<Run> {
  return {
    name: 'stop Jobs',
    run: async (run, { signal }) => {
      const remaining = [...jobs.unfinished(run), ...jobs.strays(run)]
      for (const job of remaining) await jobs.stop(job, signal)
      if (remaining.length === 0) return stepDone
      return stepWaits(waitingForJobs(remaining), stopRecheckMs)
    },
  }
}

export function waitingForJobs(jobs: readonly Job[]): string {
  const names = jobs.map(({ metadata }) => metadata.name).join(', ')
  return `waiting for ${jobs.length === 1 ? 'Job' : 'Jobs'} ${names} to stop`
}

/** The deletion of a Job is an event. This covers an event that was missed. */
export const stopRecheckMs = 15_000
