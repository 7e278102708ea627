import { createHash, randomUUID } from 'node:crypto'

/** What others need to know of a span to stand below it, in this process or another. */
export interface SpanContext {
  /** 32 hexadecimal digits in lower case, not all of them 0. */
  readonly traceId: string
  /** 16 hexadecimal digits in lower case, not all of them 0. */
  readonly spanId: string
  /** Whether the trace is kept. Whoever continues it follows. */
  readonly isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Reads the W3C header. What is not well-formed is as good as absent: a trace then begins here. */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(text?.trim() ?? '') ?? []
  // Later versions may say more; the first one may not.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined
  }
  if (!isId(traceId) || !isId(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

export function formatTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

// Of uids, which Node makes from bytes that it keeps at hand: asking for a few random ones each time takes ten times as long.
export function newTraceId(): string {
  return traceIdOf(randomUUID())
}

export function newSpanId(): string {
  const uid = randomUUID()
  const id = `${uid.slice(0, 8)}${uid.slice(-8)}`
  return isId(id) ? id : newSpanId()
}

/** A uid is 128 bits, as the id of a trace is: whoever knows the object knows its trace. */
export function traceIdOf(uid: string): string {
  const digits = uid.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && isId(digits) ? digits : digest(uid).slice(0, 32)
}

/** The same for the same words, in every process and after every restart. */
export function spanIdOf(...words: readonly string[]): string {
  return digest(JSON.stringify(words)).slice(0, 16)
}

function isId(digits: string): boolean {
  return /[^0]/.test(digits)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
