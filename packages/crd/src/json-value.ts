import type { Json } from './schema.ts'

export type JsonObject = { [key: string]: Json }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads an own member only, so that `constructor` or `__proto__` never reach a prototype. */
export function ownValue<T>(
  object: { readonly [key: string]: T } | undefined,
  key: string,
): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

/** Writes an own member: plain assignment to `__proto__` would replace the prototype instead. */
export function setOwnValue(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  } else {
    object[key] = value
  }
}

export function cloneJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(cloneJson)
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwnValue(copy, key, cloneJson(value[key] ?? null))
  return copy
}

/** Deep equality of JSON values; numbers compare by value whatever carries them. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    return isNumeric(a) && isNumeric(b) && a <= b && a >= b
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => equalJson(item, b[index] ?? null))
    )
  }
  if (Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key] ?? null, b[key] ?? null))
  )
}

function isNumeric(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
