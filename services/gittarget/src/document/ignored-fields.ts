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
  if (segment !== '*' && !Object.hasOwn(value, segment)) return value
  const members = Object.entries(value)
  if (members.length === 0) return value
  const kept = members.flatMap(([key, member]): [string, Json | undefined][] => {
    if ((segment !== '*' && segment !== key) || member === undefined) return [[key, member]]
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
    const named = byName(all)
    return value.map((item: Json, index) => {
      if (segment !== '*' && segment !== String(index)) return item
      return copied(item, counterpart(item, index, all, named), rest) ?? item
    })
  }
  if (!isMap(other) || (value !== undefined && !isMap(value))) return value
  const keys = segment === '*' ? Object.keys(other) : [segment]
  const changed: [string, Json][] = []
  for (const key of keys) {
    if (!Object.hasOwn(other, key)) continue
    const own = value !== undefined && Object.hasOwn(value, key) ? value[key] : undefined
    const next = copied(own, other[key], rest)
    if (next !== undefined && next !== own) changed.push([key, next])
  }
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

/** The first item of each name. */
function byName(items: readonly Json[]): ReadonlyMap<string, Json> {
  const named = items.flatMap((item): [string, Json][] =>
    isMap(item) && typeof item.name === 'string' ? [[item.name, item]] : [],
  )
  return new Map(named.toReversed())
}

/** The item with the same name, or at the same position if the items have no names. */
function counterpart(
  item: Json,
  index: number,
  others: readonly Json[],
  named: ReadonlyMap<string, Json>,
): Json | undefined {
  return isMap(item) && typeof item.name === 'string' ? named.get(item.name) : others[index]
}
