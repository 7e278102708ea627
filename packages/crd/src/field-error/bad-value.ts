import { goJson } from '../go-json.ts'
import { formatDouble, goQuote } from '../go-text.ts'
import type { Json } from '../schema/schema.ts'

/**
 * Formats a value as the API server does in error messages: Go's `%q` for strings, `%v` for numbers, canonical JSON
 * (sorted keys, `<`, `>` and `&` escaped) for the rest.
 */
export function formatBadValue(value: Json): string {
  if (typeof value === 'string') return goQuote(value)
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? String(value) : formatDouble(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'boolean') return String(value)
  return goJson(value)
}
