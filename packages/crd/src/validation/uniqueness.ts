import type { Json } from '../schema.ts'

/** Up to here comparing all pairs is faster than a set. */
const PAIRWISE = 12

/** True only when all items are strings or small integers and differ; anything else is for the exact walk. */
export function distinctItems(items: readonly Json[]): boolean {
  for (const item of items) if (!isPlainKey(item)) return false
  if (items.length > PAIRWISE) return new Set(items).size === items.length
  for (let i = 1; i < items.length; i += 1) {
    for (let j = 0; j < i; j += 1) if (items[i] === items[j]) return false
  }
  return true
}

/** True only when all items are objects whose keys are present, plain, and differ as a whole. */
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
