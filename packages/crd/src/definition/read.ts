import { isJsonObject, type JsonObject, ownValue } from '../json-value.ts'
import type { Json } from '../schema.ts'

/** Lenient readers: what has the wrong type counts as absent, and the rules say what is missing. */
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
