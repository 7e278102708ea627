import { type Step, stepDone, stepWaits } from '@agents/controller'
import type { KubeObject } from '@agents/kube'
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
      const names = remaining.map(({ metadata }) => metadata.name)
      return stepWaits(waitingForJobs(names), stopRecheckMs)
    },
  }
}

export function waitingForJobs(names: readonly string[]): string {
  return `waiting for ${names.length === 1 ? 'Job' : 'Jobs'} ${names.join(', ')} to stop`
}

/** The deletion of a Job is an event. This covers an event that was missed. */
export const stopRecheckMs = 15_000

/** How long the observed end of a pod may be behind the deletion of its Job. */
export const podCheckMs = 1000
