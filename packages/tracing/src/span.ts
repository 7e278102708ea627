import type { SpanContext } from './context/span-context.ts'

export type AttributeValue = string | number | boolean | readonly string[]

/** Undefined values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer'

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

/** A span that is over, as it is sent. */
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

/** Work that is under way. */
export interface Span {
  readonly context: SpanContext
  /** Later values outrank earlier ones of the same name. Never a secret, a prompt or what an agent said. */
  set(attributes: Attributes): void
  event(name: string, attributes?: Attributes): void
  link(context: SpanContext): void
  /** Marks it as failed. An error's message is kept without secrets, its stack is not kept. */
  fail(error: unknown): void
  /** The first call counts. */
  end(): void
  /** Ends it without a trace: it turned out not to be worth telling about. */
  discard(): void
}

export interface SpanOptions {
  /** Not given: the current one. `none`: a trace begins here. */
  readonly parent?: SpanContext | 'none' | undefined
  readonly kind?: SpanKind
  /** For work that began before anybody traced it. Milliseconds since 1970. */
  readonly startMs?: number | undefined
  readonly attributes?: Attributes
  readonly links?: readonly SpanContext[]
}
