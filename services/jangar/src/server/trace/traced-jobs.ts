import type { Tracer } from '@agents/tracing'
import type { AttemptJobs } from '../jobs/attempt-jobs.ts'
import { runTrace } from './run-trace.ts'
import type { TracedKind, TracedRun } from './traced-kind.ts'
import { jobAttributes } from './work-life.ts'

/** Records a span for each Job that is submitted. */
export function tracedJobs<Run extends TracedRun>(
  jobs: AttemptJobs<Run>,
  kind: TracedKind<Run>,
  tracer: Tracer,
): AttemptJobs<Run> {
  if (!tracer.isOn) return jobs
  return {
    ...jobs,
    submit: (run, objects, context) => {
      const options = {
        parent: runTrace(run, tracer).root,
        attributes: { ...kind.attributesOf(run), ...jobAttributes(objects.job) },
      }
      return tracer.trace('submit', options, () => jobs.submit(run, objects, context))
    },
  }
}
