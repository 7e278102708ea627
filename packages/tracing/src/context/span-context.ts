import { createHash, randomUUID } from 'node:crypto'

/** The identity of a span, for child spans in this process or another. */
export interface SpanContext {
  /** 32 hexadecimal digits in lower case, not all of them 0. */
  readonly traceId: string
  /** 16 hexadecimal digits in lower case, not all of them 0. */
  readonly spanId: string
  /** Whether the trace is sampled. Child spans follow. */
  readonly isSampled: boolean
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const sampledFlag = 1

/** Parses the W3C header. Returns undefined if it is malformed, as if it were absent: the caller starts a trace. */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    traceparent.exec(text?.trim() ?? '') ?? []
  // Later versions may have more fields; version 00 may not.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) {
    return undefined
  }
  if (!isId(traceId) || !isId(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag }
}

export function formatTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

// Ids are taken from uids, for which Node caches random bytes: a request for a few random bytes each time takes ten
// times as long.
export function newTraceId(): string {
  return traceIdOf(randomUUID())
}

export function newSpanId(): string {
  const uid = randomUUID()
  const id = `${uid.slice(0, 8)}${uid.slice(-8)}`
  return isId(id) ? id : newSpanId()
}

/** A uid has 128 bits, like a trace id, so the trace of an object follows from its uid. */
export function traceIdOf(uid: string): string {
  const digits = uid.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && isId(digits) ? digits : digest(uid).slice(0, 32)
}

/** Deterministic: the same parts give the same id in every process and after a restart. */
export function spanIdOf(...words: readonly string[]): string {
  return digest(JSON.stringify(words)).slice(0, 16)
}

function isId(digits: string): boolean {
  return /[^0]/.test(digits)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
