import type { Tracer } from '@agents/tracing'
import type { Kept } from '../archive/archive-run.ts'
import { runTrace } from './run-trace.ts'
import type { TracedKind, TracedRun } from './traced-kind.ts'

type Archive<Run extends TracedRun> = (run: Run) => Promise<Kept>

/** Records a span in the run's trace for each attempt to archive it. */
export function tracedArchive<Run extends TracedRun>(
  archive: Archive<Run>,
  kind: TracedKind<Run>,
  tracer: Tracer,
): Archive<Run> {
  if (!tracer.isOn) return archive
  return (run) => {
    const options = { parent: runTrace(run, tracer).root, attributes: kind.attributesOf(run) }
    return tracer.trace('archive', options, () => archive(run))
  }
}
