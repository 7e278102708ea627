export {
  formatTraceparent,
  parseTraceparent,
  type SpanContext,
  spanIdOf,
  traceIdOf,
} from './context/span-context.ts'
export { exportCounters } from './export-counters.ts'
export { logFields } from './log-fields.ts'
export { openTracing, type Tracing } from './open-tracing.ts'
export { tracingSettings } from './settings/tracing-settings.ts'
export type { Attributes, SpanEvent, SpanRecord, SpanStatus } from './span.ts'
export { createTracer, noTracer, type Tracer } from './tracer.ts'
