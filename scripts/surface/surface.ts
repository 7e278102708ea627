/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** The public surface, by area. */
export type Surface = Readonly<Record<string, Json>>

/** The same value with the keys of every object in alphabetical order. */
export function sortKeys(value: Json): Json {
  if (isList(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    sorted.map(([key, child]) => [key, child === undefined ? undefined : sortKeys(child)]),
  )
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
