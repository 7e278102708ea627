import type { Tracer } from '@agents/tracing'
import type { RunJobs } from '../run-jobs.ts'
import { runAttributes } from './run-life.ts'
import { runTrace } from './run-trace.ts'
import { jobAttributes } from './work-life.ts'

/** The same, with a span for each Job that is handed over. */
export function tracedJobs(jobs: RunJobs, tracer: Tracer): RunJobs {
  if (!tracer.isOn) return jobs
  return {
    ...jobs,
    submit: (run, objects, pass) => {
      const options = {
        parent: runTrace(run, tracer).root,
        attributes: { ...runAttributes(run), ...jobAttributes(objects.job) },
      }
      return tracer.trace('submit', options, () => jobs.submit(run, objects, pass))
    },
  }
}
