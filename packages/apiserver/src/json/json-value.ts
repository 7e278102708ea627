import type { Json } from '@agents/crd'

export type JsonObject = Record<string, Json>

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Own members only: a name such as `constructor` is not found on an empty object. */
export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a member, also one called `__proto__`, which a plain assignment would not store. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

export function copyJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyJson)
  if (!isObject(value)) return value
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setMember(copy, key, copyJson(value[key] ?? null))
  return copy
}

/** Deep equality; the order of members does not count, and 1 equals 1n. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    // Neither is below the other: the one comparison that mixes number and bigint exactly.
    return isNumeric(a) && isNumeric(b) && !(a < b) && !(a > b)
  }
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((each, index) => equalJson(each, b[index] ?? null))
    )
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] ?? null, b[key] ?? null))
  )
}

function isNumeric(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
