import { sameJson } from '../json/same-json.ts'

/**
 * The RFC 7396 patch that turns one value into the other; undefined when they are the same. Lists are replaced whole.
 */
export function mergePatch(before: object, after: object): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {}
  const old = before as Record<string, unknown>
  const next = after as Record<string, unknown>
  for (const key of Object.keys(old)) {
    if (old[key] !== undefined && old[key] !== null && memberOf(next, key) === undefined) {
      patch[key] = null
    }
  }
  for (const key of Object.keys(next)) {
    const value = next[key]
    if (value === undefined) continue
    const was = memberOf(old, key)
    if (isObject(was) && isObject(value)) {
      const inner = mergePatch(was, value)
      if (inner !== undefined) patch[key] = inner
    } else if (!sameJson(was, value)) {
      patch[key] = value
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function memberOf(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
