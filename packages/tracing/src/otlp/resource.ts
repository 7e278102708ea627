import type { Attributes } from '../span.ts'

/** Who sends: `service.name` and what else is true of all its spans. */
export type Resource = Attributes

/** The instrumentation scope of all spans. */
export const SCOPE = '@agents/tracing'

/** Nanoseconds since 1970. Fractions of a millisecond are good for microseconds, not for more. */
export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n
}

export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
export const STATUS_CODES = { unset: 0, ok: 1, error: 2 } as const
