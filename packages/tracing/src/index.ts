export {
  formatTraceparent,
  parseTraceparent,
  type SpanContext,
  spanIdOf,
  traceIdOf,
} from './context/span-context.ts'
export type { DropReason, ExportCounts } from './export/batch-exporter.ts'
export { type ExportCounter, exportCounters } from './export-counters.ts'
export { logFields } from './log-fields.ts'
export { noTracing, openTracing, type Tracing, type TracingPorts } from './open-tracing.ts'
export { type TracingConfig, tracingSettings } from './settings/tracing-settings.ts'
export type {
  Attributes,
  AttributeValue,
  Span,
  SpanEvent,
  SpanKind,
  SpanOptions,
  SpanRecord,
  SpanStatus,
} from './span.ts'
export { createTracer, noTracer, type Tracer, type TracerOptions } from './tracer.ts'
