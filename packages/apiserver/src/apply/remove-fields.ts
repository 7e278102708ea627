import type { Json } from '@agents/crd'
import { isObject, type JsonObject, setMember } from '../json/json-value.ts'
import type { FieldSet } from './field-set.ts'
import { type FieldType, type ListType, type MapType, memberType, shapeOf } from './field-type.ts'
import { listItemElement } from './list-item-element.ts'
import { fieldElement } from './path-element.ts'

/** Returns the value without the fields of the set. Objects and lists that lose all their fields become null. */
export function removeFields(type: FieldType, value: Json, fields: FieldSet): Json {
  if (fields.size === 0) return value
  const shape = shapeOf(type, value)
  if (shape === 'scalar') return value
  if (shape === 'map') {
    return isObject(value) && type.map?.atomic === false
      ? removeMembers(type.map, value, fields)
      : null
  }
  return Array.isArray(value) && type.list?.atomic === false
    ? removeItems(type.list, value, fields)
    : null
}

function removeMembers(map: MapType, value: JsonObject, fields: FieldSet): Json {
  const out: JsonObject = {}
  let isEmpty = true
  for (const name of Object.keys(value)) {
    const node = fields.get(fieldElement(name))
    if (node?.member === true) continue
    const item = value[name] ?? null
    setMember(
      out,
      name,
      node === undefined ? item : removeFields(memberType(map, name), item, node.children),
    )
    isEmpty = false
  }
  return isEmpty ? null : out
}

function removeItems(list: ListType, items: Json[], fields: FieldSet): Json {
  const out: Json[] = []
  for (const item of items) {
    const node = fields.get(listItemElement(list, item))
    if (node?.member === true) continue
    out.push(node === undefined ? item : removeFields(list.items, item, node.children))
  }
  return out.length === 0 ? null : out
}
