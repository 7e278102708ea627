import type { AgentRun } from '@agents/jangar-api'
import {
  parseTraceparent,
  type SpanContext,
  spanIdOf,
  type Tracer,
  traceIdOf,
} from '@agents/tracing'
import { annotations } from '../../labels.ts'

/** Where the spans of a run belong. Read from the run alone, so that it is the same in every process and after every restart. */
export interface RunTrace {
  /** The span of the whole run. */
  readonly root: SpanContext
  /** Of whoever asked for the run, if that was said. */
  readonly parentSpanId: string | undefined
}

/** The trace that the run was asked for in; else one of its own, whose id is the run's uid. */
export function runTrace({ metadata }: AgentRun, tracer: Pick<Tracer, 'keeps'>): RunTrace {
  const { uid = '' } = metadata
  const parent = parseTraceparent(metadata.annotations?.[annotations.traceparent])
  const traceId = parent?.traceId ?? traceIdOf(uid)
  return {
    root: { traceId, spanId: spanIdOf('run', uid), isSampled: tracer.keeps(traceId, parent) },
    parentSpanId: parent?.spanId,
  }
}

/** The span of one attempt, known before there is one: its pod is told to stand below it. */
export function attemptContext({ root }: RunTrace, jobName: string): SpanContext {
  return { ...root, spanId: spanIdOf('attempt', root.spanId, jobName) }
}
