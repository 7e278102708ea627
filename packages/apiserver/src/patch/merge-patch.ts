import type { Json } from '@agents/crd'
import { copyJson, isObject, type JsonObject, setMember } from '../json/json-value.ts'

/**
 * RFC 7396: objects merge, null removes, everything else replaces. Returns a new value and does not change its
 * arguments.
 */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return copyJson(patch)
  const result: JsonObject = {}
  if (isObject(target)) {
    for (const [key, value] of Object.entries(target)) {
      if (!Object.hasOwn(patch, key)) setMember(result, key, copyJson(value))
      else if (patch[key] !== null)
        setMember(result, key, applyMergePatch(value, patch[key] ?? null))
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || Object.hasOwn(result, key)) continue
    setMember(result, key, applyMergePatch(null, value))
  }
  return result
}
