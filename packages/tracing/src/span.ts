import type { SpanContext } from './context/span-context.ts'

export type AttributeValue = string | number | boolean | readonly string[]

/** Undefined values are omitted. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

export interface SpanEvent {
  readonly name: string
  /** Milliseconds since 1970, with fractions. */
  readonly timeMs: number
  readonly attributes: Attributes
}

export interface SpanStatus {
  readonly code: 'unset' | 'ok' | 'error'
  readonly message?: string
}

/** An ended span, as it is exported. */
export interface SpanRecord {
  readonly context: SpanContext
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly status: SpanStatus
  readonly events: readonly SpanEvent[]
  readonly links: readonly SpanContext[]
}

/** A span of running work. */
export interface Span {
  readonly context: SpanContext
  /** Later values replace earlier ones of the same name. Never add a secret, a prompt or agent output. */
  set(attributes: Attributes): void
  event(name: string, attributes?: Attributes): void
  link(context: SpanContext): void
  /** Marks the span as failed. Records the message of an error without secrets, and not its stack. */
  fail(error: unknown): void
  /** The first call counts. */
  end(): void
  /** Ends the span without exporting it. */
  discard(): void
}

export interface SpanOptions {
  /** If omitted, the current span. `none` starts a new trace. */
  readonly parent?: SpanContext | 'none' | undefined
  readonly kind?: SpanKind
  /** For work that started before it was traced. Milliseconds since 1970. */
  readonly startMs?: number | undefined
  readonly attributes?: Attributes
  readonly links?: readonly SpanContext[]
}
