import type { Json } from '../schema.ts'
import { escapeProperty, unescapeProperty } from './property-name.ts'
import {
  CelError,
  isUint,
  type List,
  type ListSchema,
  type LiteralMap,
  type MapKey,
  NO_SUCH_OVERLOAD,
  type ObjectMap,
  type ObjectSchema,
  type Value,
} from './value.ts'

export function listOf(items: Value[]): List {
  return { kind: 'list', items, source: undefined, schema: undefined, growing: false }
}

export function listFromJson(source: readonly Json[], schema: ListSchema): List {
  return {
    kind: 'list',
    items: new Array<Value | undefined>(source.length),
    source,
    schema,
    growing: false,
  }
}

export function listItem(list: List, index: number): Value {
  const known = list.items[index]
  if (known !== undefined) return known
  const json = list.source?.[index]
  if (json === undefined || list.schema === undefined) {
    return new CelError(`index out of bounds: ${index}`)
  }
  const value = list.schema.convert(json)
  list.items[index] = value
  return value
}

export function listItems(list: List): Value[] {
  return Array.from(list.items, (item, index) => item ?? listItem(list, index))
}

export function mapOf(entries: Iterable<readonly [Value, Value]>): LiteralMap {
  const map: LiteralMap = { kind: 'map', entries: new Map(), growing: false }
  for (const [key, value] of entries) {
    const at = mapKey(key)
    if (at !== undefined) map.entries.set(at, { key, value })
  }
  return map
}

export function objectFromJson(
  source: { readonly [key: string]: Json },
  schema: ObjectSchema,
): ObjectMap {
  return { kind: 'object', source, schema }
}

/** The value under a key, an error where the key cannot be one, undefined where there is none. */
export function mapFind(map: LiteralMap | ObjectMap, key: Value): Value | undefined {
  if (map.kind === 'map') {
    const at = mapKey(key)
    return at === undefined ? undefined : map.entries.get(at)?.value
  }
  if (typeof key !== 'string') return key instanceof CelError ? key : NO_SUCH_OVERLOAD
  if (map.schema.properties === undefined) return objectFind(map, key)
  const name = unescapeProperty(key)
  return name === undefined ? undefined : objectFind(map, name)
}

/** By the name as it is written in the schema, without escapes. */
export function objectFind(map: ObjectMap, name: string): Value | undefined {
  if (!Object.hasOwn(map.source, name)) return undefined
  const json = map.source[name]
  if (json === undefined) return undefined
  const { properties } = map.schema
  if (properties === undefined) return map.schema.additional?.(json)
  return json === null ? undefined : properties.get(name)?.(json)
}

export function mapSize(map: LiteralMap | ObjectMap): number {
  return map.kind === 'map' ? map.entries.size : Object.keys(map.source).length
}

export function mapKeys(map: LiteralMap | ObjectMap): Value[] {
  if (map.kind === 'map') return Array.from(map.entries.values(), (entry) => entry.key)
  const { properties, additional } = map.schema
  const keys = Object.keys(map.source)
  if (properties === undefined) return additional === undefined ? [] : keys
  return keys.filter((key) => properties.has(key)).map((key) => escapeProperty(key) ?? key)
}

/** 1, 1u and 1.0 are one key; a fraction, a list or a map is never found. */
export function mapKey(key: Value): MapKey | undefined {
  switch (typeof key) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return key
    case 'number':
      return Number.isInteger(key) ? BigInt(key) : key
    default:
      return isUint(key) ? key.value : undefined
  }
}
