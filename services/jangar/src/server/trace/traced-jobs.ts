import type { AgentRun } from '@agents/jangar-api'
import type { Tracer } from '@agents/tracing'
import type { AttemptJobs } from '../../../jobs/attempt-jobs.ts'
import { runAttributes } from './run-life.ts'
import { runTrace } from './run-trace.ts'
import { jobAttributes } from './work-life.ts'

/** Records a span for each Job that is submitted. */
export function tracedJobs(jobs: AttemptJobs<AgentRun>, tracer: Tracer): AttemptJobs<AgentRun> {
  if (!tracer.isOn) return jobs
  return {
    ...jobs,
    submit: (run, objects, context) => {
      const options = {
        parent: runTrace(run, tracer).root,
        attributes: { ...runAttributes(run), ...jobAttributes(objects.job) },
      }
      return tracer.trace('submit', options, () => jobs.submit(run, objects, context))
    },
  }
}
