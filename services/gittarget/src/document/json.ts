export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonMap

export interface JsonMap {
  readonly [key: string]: Json | undefined
}

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The map without these members; undefined when nothing is left, so that no empty husk stays behind. */
export const without = (map: JsonMap, names: readonly string[]): JsonMap | undefined => {
  const kept = Object.entries(map).filter(([name]) => !names.includes(name))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** A copy with one member replaced, or removed when there is nothing to put there. */
export const withMember = (map: JsonMap, name: string, value: Json | undefined): JsonMap => {
  const { [name]: _old, ...rest } = map
  return value === undefined ? rest : { ...rest, [name]: value }
}
