import type { Json } from '../schema/schema.ts'

export type JsonType = 'null' | 'boolean' | 'string' | 'integer' | 'number' | 'array' | 'object'

export const maxInt64 = 2n ** 63n - 1n
export const minInt64 = -(2n ** 63n)

/** The type of a value after the API server's decoder, which converts integers beyond int64 to floats. */
export function jsonTypeOf(value: Json): JsonType {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number'
    case 'bigint':
      return value >= minInt64 && value <= maxInt64 ? 'integer' : 'number'
    default:
      if (value === null) return 'null'
      return Array.isArray(value) ? 'array' : 'object'
  }
}

/** Whether a float counts as an integer. As in upstream, a relative difference of a billionth is allowed. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  if (value < 1) return false
  return (value - whole) / (value + whole) < 1e-9
}
