import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sampler } from './context/sampler.ts'
import { newSpanId, newTraceId, type SpanContext } from './context/span-context.ts'
import { anchorAt, LiveSpan, silentSpan } from './live-span.ts'
import type { Span, SpanOptions, SpanRecord } from './span.ts'

/** Creates spans. If tracing is off, it only runs the work. */
export interface Tracer {
  readonly isOn: boolean
  /** Starts a span that is not the current one, for work that does not begin and end in one function. */
  start(name: string, options?: SpanOptions): Span
  /** Runs work in a span that is the current one meanwhile. An error marks the span and is rethrown. */
  trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** Runs work with a current span that was started elsewhere. */
  within<T>(context: SpanContext, work: () => T): T
  /** Records a span that has already ended, if its context is sampled. */
  record(span: SpanRecord): void
  /** The context of the current span. */
  current(): SpanContext | undefined
  /** Whether a trace with this id is sampled. */
  keeps(traceId: string, parent?: SpanContext): boolean
}

interface TracerOptions {
  readonly sampler: Sampler
  /** Called with each ended, sampled span. Must neither throw nor block. */
  readonly onEnd: (span: SpanRecord) => void
}

export function createTracer({ sampler, onEnd }: TracerOptions): Tracer {
  const storage = new AsyncLocalStorage<Current>()
  const start = (name: string, options: SpanOptions = {}): Current => {
    const current = storage.getStore()
    const parent = options.parent === undefined ? current?.context : options.parent
    const above = parent === 'none' ? undefined : parent
    const traceId = above?.traceId ?? newTraceId()
    const isSampled = sampler(traceId, above)
    // A child of an unsampled span needs no separate id.
    const isSilentBelow = !isSampled && above?.isSampled === false
    const context = isSilentBelow ? above : { traceId, spanId: newSpanId(), isSampled }
    // Times of one tree have the same anchor, so that no child appears to end after its parent.
    const anchor = (above === current?.context && current?.anchor) || anchorAt()
    if (!isSampled) return { context, anchor, span: silentSpan(context) }
    const span = new LiveSpan({
      context,
      parentSpanId: above?.spanId,
      name,
      options,
      anchor,
      onEnd,
    })
    return { context, anchor, span }
  }
  return {
    isOn: true,
    start: (name, options) => start(name, options).span,
    trace: async (name, options, work) => {
      const current = start(name, options)
      try {
        return await storage.run(current, () => work(current.span))
      } catch (error) {
        current.span.fail(error)
        throw error
      } finally {
        current.span.end()
      }
    },
    within: (context, work) =>
      storage.run({ context, anchor: anchorAt(), span: silentSpan(context) }, work),
    record: (span) => {
      if (span.context.isSampled) onEnd(span)
    },
    current: () => storage.getStore()?.context,
    keeps: (traceId, parent) => sampler(traceId, parent),
  }
}

interface Current {
  readonly context: SpanContext
  readonly anchor: ReturnType<typeof anchorAt>
  readonly span: Span
}

const nowhere: SpanContext = {
  traceId: '0'.repeat(32),
  spanId: '0'.repeat(16),
  isSampled: false,
}

const nothing = silentSpan(nowhere)

/** The tracer if tracing is off. */
export const noTracer: Tracer = {
  isOn: false,
  start: () => nothing,
  trace: (_name, _options, work) => work(nothing),
  within: (_context, work) => work(),
  record: () => undefined,
  current: () => undefined,
  keeps: () => false,
}
