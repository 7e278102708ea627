import type { Json } from '../../schema/schema.ts'
import { escapeProperty, unescapeProperty } from '../type/property-name.ts'
import {
  CelError,
  isUint,
  type List,
  type ListSchema,
  type LiteralMap,
  type MapKey,
  noSuchOverload,
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
  const items: Value[] = []
  for (let index = 0; index < list.items.length; index++) items.push(listItem(list, index))
  return items
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

/** The value of a key; undefined if the map does not have it, an error if it is not a valid key. */
export function mapFind(map: LiteralMap | ObjectMap, key: Value): Value | undefined {
  if (map.kind === 'map') {
    const at = mapKey(key)
    return at === undefined ? undefined : map.entries.get(at)?.value
  }
  if (typeof key !== 'string') {
    if (key instanceof CelError) return key
    return map.schema.dynamic ? undefined : noSuchOverload
  }
  if (map.schema.properties === undefined) return objectFind(map, key)
  const name = unescapeProperty(key)
  return name === undefined ? undefined : objectFind(map, name)
}

/** The value of a field, by its name in the schema, without escapes. */
export function objectFind(map: ObjectMap, name: string): Value | undefined {
  if (!Object.hasOwn(map.source, name)) return undefined
  const json = map.source[name]
  if (json === undefined) return undefined
  const { properties } = map.schema
  if (properties === undefined) {
    const { dynamic, additional } = map.schema
    if (!dynamic || typeof json !== 'object') return additional?.(json)
    const known = map.known?.get(name) ?? additional?.(json)
    if (known === undefined) return undefined
    map.known ??= new Map()
    map.known.set(name, known)
    return known
  }
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

/** Normalizes a key: 1, 1u and 1.0 are the same. A fraction, a list or a map is never found. */
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
