import type { Tracer } from './tracer.ts'

/** The log fields of the current span, with OpenTelemetry's names; empty if there is none. */
export function logFields(tracer: Tracer): Readonly<Record<string, string>> {
  const current = tracer.current()
  return current === undefined ? {} : { trace_id: current.traceId, span_id: current.spanId }
}
