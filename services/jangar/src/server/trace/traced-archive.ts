import type { AgentRun } from '@agents/jangar-api'
import type { Tracer } from '@agents/tracing'
import { runAttributes } from './run-life.ts'
import { runTrace } from './run-trace.ts'

type Archive = (run: AgentRun) => Promise<void>

/** Records a span in the run's trace for each attempt to archive it. */
export function tracedArchive(archive: Archive, tracer: Tracer): Archive {
  if (!tracer.isOn) return archive
  return (run) => {
    const options = { parent: runTrace(run, tracer).root, attributes: runAttributes(run) }
    return tracer.trace('archive', options, () => archive(run))
  }
}
