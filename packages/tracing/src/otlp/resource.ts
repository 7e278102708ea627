import type { Attributes } from '../span.ts'

/** The sender: `service.name` and the attributes that all its spans share. */
export type Resource = Attributes

/** The instrumentation scope of all spans. */
export const scopeName = '@agents/tracing'

/** Nanoseconds since 1970, with a precision of microseconds. */
export function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1000)) * 1000n
}

export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const
export const statusCodes = { unset: 0, ok: 1, error: 2 } as const
