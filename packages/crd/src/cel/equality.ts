import { sameJson } from '@agents/kube'
import type { Json } from '../schema.ts'
import { listItem, listItems, mapFind, mapKey, mapSize, objectFind } from './container.ts'
import {
  CelError,
  isBoxed,
  isList,
  isMap,
  isUint,
  type List,
  type LiteralMap,
  NO_SUCH_OVERLOAD,
  type ObjectMap,
  type Value,
} from './value.ts'

/** `left == right`: numbers by value across their types, other values of different types are simply not equal. */
export function equal(left: Value, right: Value): boolean | CelError {
  if (left === null || right === null) return left === right
  if (left instanceof CelError) return left
  if (right instanceof CelError) return right
  if (typeof left === 'number' || typeof left === 'bigint') {
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number compare by value only with ==
    return left == numeric(right)
  }
  if (typeof left === 'string' || typeof left === 'boolean') return left === right
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
      if (isList(right)) return listEqual(left, right)
      return left.schema === undefined ? false : NO_SUCH_OVERLOAD
    case 'map':
      return isMap(right) && literalMapEqual(left, right)
    case 'object':
      return isMap(right) ? objectEqual(left, right) : NO_SUCH_OVERLOAD
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
      if (!isBoxed(right) || right.kind !== 'opaque' || right.type !== left.type) {
        return NO_SUCH_OVERLOAD
      }
      return left.type.equal(left.content, right.content)
  }
}

/** What == can compare a number with; NaN, which equals nothing, for everything else. */
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

/** Finds scalars by value in constant time, as sets of Kubernetes hold nothing else; other values by comparing. */
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

/** The identity of an element of an `x-kubernetes-list-type: map` list: the JSON of its key fields. */
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

/** Fields without a schema are compared as JSON, and only where both sides have them. */
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
    } else if (right.kind !== 'object') return NO_SUCH_OVERLOAD
    else if (Object.hasOwn(right.source, name)) {
      if (!sameJson(left.source[name] ?? null, right.source[name] ?? null)) return false
    }
  }
  return true
}

function hasSchema(map: ObjectMap, name: string): boolean {
  return map.schema.properties?.has(name) ?? map.schema.additional !== undefined
}
