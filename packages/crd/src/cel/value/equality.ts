import { sameJson } from '@agents/kube'
import type { Json } from '../../schema/schema.ts'
import { work } from '../cost/work-meter.ts'
import { listItem, listItems, mapFind, mapKey, mapSize, objectFind } from './container.ts'
import {
  CelError,
  isBoxed,
  isList,
  isMap,
  isUint,
  type List,
  type LiteralMap,
  noSuchOverload,
  type ObjectMap,
  type Value,
} from './value.ts'

/**
 * Evaluates `left == right`: numbers are compared by value across their types, other values of different types are not
 * equal.
 */
export function equal(left: Value, right: Value): boolean | CelError {
  work(1)
  if (left === null || right === null) return left === right
  if (left instanceof CelError) return left
  if (right instanceof CelError) return right
  if (typeof left === 'number' || typeof left === 'bigint') {
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value only with ==
    return left == numeric(right)
  }
  if (typeof left === 'string') {
    if (typeof right !== 'string' || left.length !== right.length) return false
    work(left.length >> 8)
    return left === right
  }
  if (typeof left === 'boolean') return left === right
  if (left instanceof Uint8Array) return right instanceof Uint8Array && bytesEqual(left, right)
  return boxedEqual(left, right)
}

function bytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

function boxedEqual(
  left: Exclude<Value, null | boolean | bigint | number | string | Uint8Array | CelError>,
  right: Value,
): boolean | CelError {
  switch (left.kind) {
    case 'uint':
      // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value only with ==
      return left.value == numeric(right)
    case 'list':
      if (isList(right)) {
        if (left.schema?.dynamic && right.schema?.dynamic) {
          return sameDynamic(left.source ?? [], right.source ?? [])
        }
        return listEqual(left, right)
      }
      return left.schema === undefined || left.schema.dynamic ? false : noSuchOverload
    case 'map':
      return isMap(right) && literalMapEqual(left, right)
    case 'object':
      if (isMap(right)) {
        const dynamic = left.schema.dynamic && right.kind === 'object' && right.schema.dynamic
        return dynamic ? sameDynamic(left.source, right.source) : objectEqual(left, right)
      }
      return left.schema.dynamic ? false : noSuchOverload
    case 'timestamp':
    case 'duration':
      return isBoxed(right) && right.kind === left.kind && right.nanos === left.nanos
    case 'type':
      return isBoxed(right) && right.kind === 'type' && right.name === left.name
    case 'optional':
      if (!isBoxed(right) || right.kind !== 'optional') return false
      if (left.value === undefined || right.value === undefined) return left.value === right.value
      return equal(left.value, right.value)
    case 'opaque':
      if (!isBoxed(right) || right.kind !== 'opaque' || right.type.name !== left.type.name) {
        return left.type.comparable ? false : noSuchOverload
      }
      return left.type.equal(left.content, right.content)
  }
}

/** Compares two values without a schema by their JSON, without converting their content. */
function sameDynamic(left: DynamicJson, right: DynamicJson): boolean {
  work(1)
  if (left === right) return true
  if (typeof left === 'string') {
    if (typeof right !== 'string' || left.length !== right.length) return false
    work(left.length >> 8)
    return left === right
  }
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) {
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value only with ==
    return isNumber(left) && isNumber(right) && left == right
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    for (let index = 0; index < left.length; index++) {
      if (!sameDynamic(left[index] ?? null, right[index] ?? null)) return false
    }
    return true
  }
  if (Array.isArray(right)) return false
  return sameMembers(left as DynamicObject, right as DynamicObject)
}

function sameMembers(left: DynamicObject, right: DynamicObject): boolean {
  const names = Object.keys(left)
  if (names.length !== Object.keys(right).length) return false
  for (const name of names) {
    if (!Object.hasOwn(right, name)) return false
    if (!sameDynamic(left[name] ?? null, right[name] ?? null)) return false
  }
  return true
}

type DynamicObject = { readonly [key: string]: Json }
type DynamicJson = Json | readonly Json[] | DynamicObject

function isNumber(json: DynamicJson): boolean {
  return typeof json === 'number' || typeof json === 'bigint'
}

/** A value that == can compare with a number; NaN, which equals nothing, for everything that is not a number. */
function numeric(value: Value): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  return isUint(value) ? value.value : Number.NaN
}

function listEqual(left: List, right: List): boolean | CelError {
  if (left.items.length !== right.items.length) return false
  if (left.schema?.type === 'set') return setEqual(left, right)
  if (left.schema?.type === 'map') return mapListEqual(left, right)
  for (let index = 0; index < left.items.length; index++) {
    const result = equal(listItem(left, index), listItem(right, index))
    if (result !== true) return result
  }
  return true
}

function setEqual(left: List, right: List): boolean {
  const items = indexScalars(listItems(left))
  return listItems(right).every((item) => items.has(item))
}

/**
 * A set of values. Scalars, which are all that sets of Kubernetes contain, are found in constant time, other values by
 * comparison.
 */
export function indexScalars(items: readonly Value[]): { has(item: Value): boolean } {
  const keys = new Set(items.map(mapKey))
  return {
    has: (item) => {
      const key = mapKey(item)
      return key === undefined
        ? items.some((present) => equal(present, item) === true)
        : keys.has(key)
    },
  }
}

function mapListEqual(left: List, right: List): boolean | CelError {
  const keys = left.schema?.keys ?? []
  const byKey = new Map(listItems(left).map((item) => [listMapKey(item, keys), item]))
  for (const item of listItems(right)) {
    const counterpart = byKey.get(listMapKey(item, keys))
    if (counterpart === undefined) return false
    const result = equal(counterpart, item)
    if (result !== true) return result
  }
  return true
}

/** The key of an element of a list of type map: the JSON of its key fields. */
export function listMapKey(item: Value, keys: readonly string[]): string {
  const parts = keys.map((key): Json => {
    if (!isMap(item)) return null
    if (item.kind === 'object') {
      const json = Object.hasOwn(item.source, key) ? item.source[key] : undefined
      return json ?? null
    }
    const value = mapFind(item, key)
    return typeof value === 'string' || typeof value === 'boolean' ? value : String(value)
  })
  return parts.map((part) => `${typeof part}:${String(part)}`).join('\0')
}

function literalMapEqual(left: LiteralMap, right: LiteralMap | ObjectMap): boolean | CelError {
  if (mapSize(left) !== mapSize(right)) return false
  for (const { key, value } of left.entries.values()) {
    const other = mapFind(right, key)
    if (other === undefined) return false
    const result = equal(value, other)
    if (result !== true) return result
  }
  return true
}

/** Compares two objects. Fields without a schema are compared as JSON, and only if both sides have them. */
function objectEqual(left: ObjectMap, right: LiteralMap | ObjectMap): boolean | CelError {
  if (mapSize(left) !== mapSize(right)) return false
  for (const name of Object.keys(left.source)) {
    if (hasSchema(left, name)) {
      const value = objectFind(left, name)
      const other = right.kind === 'object' ? objectFind(right, name) : mapFind(right, name)
      if ((value === undefined) !== (other === undefined)) return false
      if (value === undefined || other === undefined) continue
      const result = equal(value, other)
      if (result !== true) return result
    } else if (right.kind !== 'object') return noSuchOverload
    else if (Object.hasOwn(right.source, name)) {
      if (!sameJson(left.source[name] ?? null, right.source[name] ?? null)) return false
    }
  }
  return true
}

function hasSchema(map: ObjectMap, name: string): boolean {
  return map.schema.properties?.has(name) ?? map.schema.additional !== undefined
}
