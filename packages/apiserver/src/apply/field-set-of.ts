import type { Json } from '@agents/crd'
import { isObject } from '../json/json-value.ts'
import { emptySet, type FieldSet, type GrowingSet, leaf, putNode } from './field-set.ts'
import {
  elementOf,
  type FieldType,
  type ListType,
  type MapType,
  memberType,
  shapeOf,
} from './field-type.ts'
import { listItemElement } from './list-item-element.ts'
import type { PathElement } from './path-element.ts'

/** The set of all fields in a value, which its applier then owns. Throws TypedError. */
export function fieldSetOf(type: FieldType, value: Json): FieldSet {
  return ownedBelow(type, value) ?? emptySet
}

/** Returns undefined if the value itself is one field. */
function ownedBelow(type: FieldType, value: Json): FieldSet | undefined {
  const shape = shapeOf(type, value)
  if (shape === 'map' && type.map?.atomic === false) {
    return isObject(value) ? mapFields(type.map, value) : emptySet
  }
  if (shape === 'list' && type.list?.atomic === false) {
    return Array.isArray(value) ? listFields(type.list, value) : emptySet
  }
  return undefined
}

function mapFields(map: MapType, value: Record<string, Json>): FieldSet {
  const set: GrowingSet = new Map()
  for (const name of Object.keys(value)) {
    const item = value[name] ?? null
    const below = ownedBelow(memberType(map, name), item)
    const member = below === undefined || isNothing(item) || !map.fields.has(name)
    putNode(set, elementOf(map, name), member, below ?? emptySet)
  }
  return set
}

function isNothing(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0)
}

function listFields(list: ListType, items: readonly Json[]): FieldSet {
  const set: GrowingSet = new Map()
  const seen = new Set<PathElement>()
  for (const item of items) {
    const element = listItemElement(list, item)
    // Items without identity are owned as a whole.
    if (seen.has(element)) set.set(element, leaf)
    else putNode(set, element, true, ownedBelow(list.items, item) ?? emptySet)
    seen.add(element)
  }
  return set
}
