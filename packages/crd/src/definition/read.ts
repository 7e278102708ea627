import { isJsonObject, type JsonObject, ownValue } from '../schema/json-value.ts'
import type { Json } from '../schema/schema.ts'

/** Lenient readers: a member of the wrong type counts as absent, and the checks report what is missing. */
export function readObject(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object === undefined ? undefined : ownValue(object, key)
  return isJsonObject(value) ? value : undefined
}

export function readText(object: JsonObject | undefined, key: string): string {
  const value = object === undefined ? undefined : ownValue(object, key)
  return typeof value === 'string' ? value : ''
}

export function readList(object: JsonObject | undefined, key: string): Json[] {
  const value = object === undefined ? undefined : ownValue(object, key)
  return Array.isArray(value) ? value : []
}

export function readTexts(object: JsonObject | undefined, key: string): string[] {
  return readList(object, key).filter((item) => typeof item === 'string')
}

export function readObjects(object: JsonObject | undefined, key: string): JsonObject[] {
  return readList(object, key).filter(isJsonObject)
}
