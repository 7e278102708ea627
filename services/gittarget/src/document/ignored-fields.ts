import { isMap, type Json, type JsonMap } from './json.ts'

/** The segments of a JSON pointer, unescaped; `*` matches each member of a map and each item of a list. */
export type FieldPath = readonly string[]

export function parseFieldPath(pointer: string): FieldPath {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A copy without these fields. A map that becomes empty is removed too, as if the fields had never been set. */
export function withoutFields(object: JsonMap, paths: readonly FieldPath[]): JsonMap {
  return paths.reduce<JsonMap>((rest, path) => {
    const left = removed(rest, path)
    return isMap(left) ? left : {}
  }, object)
}

function removed(value: Json, [segment, ...rest]: FieldPath): Json | undefined {
  if (segment === undefined) return undefined
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      if (segment !== '*' && segment !== String(index)) return [item]
      const left = removed(item, rest)
      return left === undefined ? [] : [left]
    })
  }
  if (!isMap(value)) return value
  const matching = segment === '*' ? Object.keys(value) : [segment]
  if (!matching.some((key) => Object.hasOwn(value, key))) return value
  const kept = Object.entries(value).flatMap(([key, member]): [string, Json | undefined][] => {
    if (!matching.includes(key) || member === undefined) return [[key, member]]
    const left = removed(member, rest)
    return left === undefined ? [] : [[key, left]]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** A copy in which these fields have the values of another object, as far as it has them. */
export function withFieldsOf(
  object: JsonMap,
  other: JsonMap,
  paths: readonly FieldPath[],
): JsonMap {
  return paths.reduce<JsonMap>((result, path) => {
    const next = copied(result, other, path)
    return isMap(next) ? next : result
  }, object)
}

function copied(
  value: Json | undefined,
  other: Json | undefined,
  [segment, ...rest]: FieldPath,
): Json | undefined {
  if (segment === undefined) return other ?? value
  if (Array.isArray(value) && Array.isArray(other)) {
    const all = other as readonly Json[]
    return value.map((item: Json, index) => {
      if (segment !== '*' && segment !== String(index)) return item
      return copied(item, counterpart(item, index, all), rest) ?? item
    })
  }
  if (!isMap(other) || (value !== undefined && !isMap(value))) return value
  const keys = segment === '*' ? Object.keys(other) : [segment]
  let result: JsonMap | undefined = value
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) continue
    const own = result !== undefined && Object.hasOwn(result, key) ? result[key] : undefined
    const next = copied(own, other[key], rest)
    if (next !== undefined && next !== own) result = { ...result, [key]: next }
  }
  return result
}

/** The item with the same name, or at the same position if the items have no names. */
function counterpart(item: Json, index: number, others: readonly Json[]): Json | undefined {
  if (!isMap(item) || typeof item.name !== 'string') return others[index]
  const { name } = item
  return others.find((other) => isMap(other) && other.name === name)
}
