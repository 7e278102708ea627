import type { KubeObject } from '@agents/kube'
import {
  parseTraceparent,
  type SpanContext,
  spanIdOf,
  type Tracer,
  traceIdOf,
} from '@agents/tracing'
import { annotations } from '../kubernetes/labels.ts'

/**
 * The trace context of a run. Derived from the run alone, so that it is the same in every process and after a restart.
 */
export interface RunTrace {
  /** The span of the whole run. */
  readonly root: SpanContext
  /** Of the request that created the run, if it was traced. */
  readonly parentSpanId: string | undefined
}

/** The trace of the request that created the run, else a new one whose id is the run's uid. */
export function runTrace({ metadata }: KubeObject, tracer: Pick<Tracer, 'keeps'>): RunTrace {
  const { uid = '' } = metadata
  const parent = parseTraceparent(metadata.annotations?.[annotations.traceparent])
  const traceId = parent?.traceId ?? traceIdOf(uid)
  return {
    root: { traceId, spanId: spanIdOf('run', uid), isSampled: tracer.keeps(traceId, parent) },
    parentSpanId: parent?.spanId,
  }
}

/**
 * The span of one attempt. Its id is derived from the Job's name, so that the pod gets it before the span is recorded.
 */
export function attemptContext({ root }: RunTrace, jobName: string): SpanContext {
  return { ...root, spanId: spanIdOf('attempt', root.spanId, jobName) }
}
