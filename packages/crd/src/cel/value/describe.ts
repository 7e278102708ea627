import { toText } from './convert.ts'
import { CelError, typeNameOf, type Value } from './value.ts'

/** Formats a value for an error message: `no such key: x`, `index out of bounds: 3`. */
export function describeValue(value: Value): string {
  const text = toText(value)
  return typeof text === 'string' && !(value instanceof CelError) ? text : typeNameOf(value)
}
