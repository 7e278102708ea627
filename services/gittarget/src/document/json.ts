export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonMap

export interface JsonMap {
  readonly [key: string]: Json | undefined
}

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The map without these members; undefined if it is empty then. */
export function without(map: JsonMap, names: readonly string[]): JsonMap | undefined {
  const kept = Object.entries(map).filter(([name]) => !names.includes(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** A copy with one member replaced, or removed if the value is undefined. */
export function withMember(map: JsonMap, name: string, value: Json | undefined): JsonMap {
  const { [name]: _old, ...rest } = map
  return value === undefined ? rest : { ...rest, [name]: value }
}
