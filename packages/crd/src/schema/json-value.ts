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
