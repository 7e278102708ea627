import type { Tracer } from './tracer.ts'

/** What a log line says of the current span, under OpenTelemetry's names; nothing where there is none. */
export function logFields(tracer: Tracer): Readonly<Record<string, string>> {
  const current = tracer.current()
  return current === undefined ? {} : { trace_id: current.traceId, span_id: current.spanId }
}
