import type { Json } from '../schema/schema.ts'

/** The number of items up to which comparing all pairs is faster than a set. */
const maxPairwise = 12

/** Whether all items are different strings or safe integers. If false, the exact walk decides. */
export function distinctItems(items: readonly Json[]): boolean {
  for (const item of items) if (!isPlainKey(item)) return false
  if (items.length > maxPairwise) return new Set(items).size === items.length
  for (let i = 1; i < items.length; i += 1) {
    for (let j = 0; j < i; j += 1) if (items[i] === items[j]) return false
  }
  return true
}

/**
 * Whether all items are objects with different keys that are all present and scalar. If false, the exact walk decides.
 */
export function distinctByKeys(items: readonly Json[], keys: readonly string[]): boolean {
  const [only] = keys
  if (only === undefined || items.length > 1_000_000) return false
  const identities: Json[] = []
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
    let identity: Json = ''
    for (const key of keys) {
      const value = Object.hasOwn(item, key) ? item[key] : undefined
      if (value === undefined || !isPlainKey(value)) return false
      identity =
        keys.length === 1
          ? value
          : `${identity}${typeof value}:${String(value).length}:${String(value)}`
    }
    identities.push(identity)
  }
  return distinctItems(identities)
}

function isPlainKey(value: Json): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
