import type { Json } from '../schema.ts'

export type JsonType = 'null' | 'boolean' | 'string' | 'integer' | 'number' | 'array' | 'object'

export const MAX_INT64 = 2n ** 63n - 1n
export const MIN_INT64 = -(2n ** 63n)

/** What the API server's decoder would have made of the value: integers beyond int64 become floats there. */
export function jsonTypeOf(value: Json): JsonType {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number'
    case 'bigint':
      return value >= MIN_INT64 && value <= MAX_INT64 ? 'integer' : 'number'
    default:
      if (value === null) return 'null'
      return Array.isArray(value) ? 'array' : 'object'
  }
}

/** Whether a float counts as an integer: it may miss one by a billionth, relatively, as upstream allows. */
export function isNearlyInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  if (value < 1) return false
  return (value - whole) / (value + whole) < 1e-9
}
