import type { Json } from '@agents/crd'

export type JsonObject = Record<string, Json>

export function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value)
}

/** Like `isObject`, for values of unknown type. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gets an own property, so that names such as `constructor` are not found on an empty object. */
export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a property, even one named `__proto__`, which an assignment would not store. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

/** Copies a value deeply. Needed before any change, since objects in the store must not be mutated. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    setMember(copy, key, copyJson((value as Record<string, unknown>)[key]))
  }
  return copy as T
}
