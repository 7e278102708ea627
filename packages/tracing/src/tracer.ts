import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sampler } from './context/sampler.ts'
import { newSpanId, newTraceId, type SpanContext } from './context/span-context.ts'
import { anchorAt, LiveSpan, silentSpan } from './live-span.ts'
import type { Span, SpanOptions, SpanRecord } from './span.ts'

/** Makes spans. One that is off costs a call and nothing more. */
export interface Tracer {
  readonly isOn: boolean
  /** Not the current one of anybody: for work that does not begin and end in one place. */
  start(name: string, options?: SpanOptions): Span
  /** The span of some work, which is the current one while it lasts. What the work throws marks it and goes on. */
  trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  /** The work's current span is one that somebody else began. */
  within<T>(context: SpanContext, work: () => T): T
  /** What began and ended without being looked at; kept if its context says so. */
  record(span: SpanRecord): void
  /** Of the current span. */
  current(): SpanContext | undefined
  /** Whether a trace with this id is kept. */
  keeps(traceId: string, parent?: SpanContext): boolean
}

export interface TracerOptions {
  readonly sampler: Sampler
  /** Given each span that is over and kept. Must neither throw nor wait. */
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
    // What is not kept needs no name of its own.
    const isSilentBelow = !isSampled && above?.isSampled === false
    const context = isSilentBelow ? above : { traceId, spanId: newSpanId(), isSampled }
    // Times of one tree are measured from one moment, so that no child seems to outlast its parent.
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

/** Where nobody wants traces. */
export const noTracer: Tracer = {
  isOn: false,
  start: () => nothing,
  trace: (_name, _options, work) => work(nothing),
  within: (_context, work) => work(),
  record: () => undefined,
  current: () => undefined,
  keeps: () => false,
}
