import type { Json } from '@agents/crd'
import { isObject } from './json-value.ts'

/**
 * A text that is equal for two values exactly if `sameJson` holds for them, to find duplicates among many in one pass.
 */
export function identityOf(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => identityOf(item ?? null)).join(',')}]`
  // -0 equals 0, and a bigint equals the number of the same value.
  if (!isObject(value))
    return String(value === 0 ? 0 : typeof value === 'number' ? exact(value) : value)
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${identityOf(value[name] ?? null)}`)
  return `{${members.join(',')}}`
}

function exact(number: number): number | bigint {
  return Number.isInteger(number) ? BigInt(number) : number
}
