import { redact } from '@agents/log'
import type { SpanContext } from './context/span-context.ts'
import type {
  Attributes,
  AttributeValue,
  Span,
  SpanEvent,
  SpanOptions,
  SpanRecord,
  SpanStatus,
} from './span.ts'

/** A clock that starts at the wall clock time and is monotonic from there. */
interface Anchor {
  now(): number
}

export function anchorAt(): Anchor {
  const wall = Date.now()
  const start = performance.now()
  return { now: () => wall + performance.now() - start }
}

interface LiveSpanOptions {
  readonly context: SpanContext
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly options: SpanOptions
  readonly anchor: Anchor
  readonly onEnd: (span: SpanRecord) => void
}

/** The maximum length of each list, so that repeated failures do not exhaust the memory. */
const maxEntries = 128
const longestText = 1024

export class LiveSpan implements Span {
  readonly context: SpanContext
  readonly #options: LiveSpanOptions
  readonly #startMs: number
  readonly #attributes = new Map<string, AttributeValue>()
  readonly #events: SpanEvent[] = []
  readonly #links: SpanContext[]
  #status: SpanStatus = { code: 'unset' }
  #isOver = false

  constructor(options: LiveSpanOptions) {
    this.context = options.context
    this.#options = options
    this.#startMs = options.options.startMs ?? options.anchor.now()
    this.#links = [...(options.options.links ?? [])]
    this.set(options.options.attributes ?? {})
  }

  set(attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) continue
      if (this.#attributes.size < maxEntries || this.#attributes.has(name)) {
        this.#attributes.set(name, typeof value === 'string' ? shortened(value) : value)
      }
    }
  }

  event(name: string, attributes: Attributes = {}): void {
    if (this.#events.length >= maxEntries) return
    this.#events.push({ name, timeMs: this.#options.anchor.now(), attributes })
  }

  link(context: SpanContext): void {
    if (this.#links.length < maxEntries) this.#links.push(context)
  }

  fail(error: unknown): void {
    const { type, message } = describeError(error)
    this.#status = { code: 'error', message }
    this.event('exception', { 'exception.type': type, 'exception.message': message })
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const { context, parentSpanId, name, options, anchor, onEnd } = this.#options
    onEnd({
      context,
      parentSpanId,
      name,
      kind: options.kind ?? 'internal',
      startMs: this.#startMs,
      endMs: anchor.now(),
      attributes: Object.fromEntries(this.#attributes),
      status: this.#status,
      events: this.#events,
      links: this.#links,
    })
  }

  discard(): void {
    this.#isOver = true
  }
}

/** A span that is not sampled. It still has a context for child spans. */
export function silentSpan(context: SpanContext): Span {
  return {
    context,
    set: ignore,
    event: ignore,
    link: ignore,
    fail: ignore,
    end: ignore,
    discard: ignore,
  }
}

function ignore(): void {
  // The span is not exported.
}

function describeError(error: unknown): { type: string; message: string } {
  if (!(error instanceof Error))
    return { type: typeof error, message: shortened(redact(String(error))) }
  return { type: error.name, message: shortened(redact(error.message)) }
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}
