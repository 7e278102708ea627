import type { Json } from '@agents/crd'
import { isObject, type JsonObject, setMember } from '../json/json-value.ts'

/** Removes directives of strategic merge patches, and list items that consist of a directive. */
export function withoutDirectives(value: Json): Json {
  if (Array.isArray(value)) {
    return value
      .filter((item) => !(isObject(item) && Object.hasOwn(item, '$patch')))
      .map(withoutDirectives)
  }
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, each] of Object.entries(value)) {
    if (!key.startsWith('$')) setMember(result, key, withoutDirectives(each))
  }
  return result
}
