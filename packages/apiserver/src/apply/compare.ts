import type { Json } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { isObject, type JsonObject } from '../json/json-value.ts'
import {
  emptySet,
  type FieldSet,
  type GrowingSet,
  insertPath,
  recursiveDifference,
  union,
} from './field-set.ts'
import {
  elementOf,
  type FieldType,
  type ListType,
  memberType,
  type Shape,
  shapeOf,
} from './field-type.ts'
import { listItemElement } from './list-item-element.ts'
import type { PathElement } from './path-element.ts'

/** The three sets are disjoint. */
interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * Compares the fields of `before` and `after`, except for ignored fields and those below them. Throws TypedError for
 * list items without identity.
 */
export function compare(
  type: FieldType,
  before: Json,
  after: Json,
  ignored: FieldSet = emptySet,
): Comparison {
  const walk: Walk = {
    added: new Map(),
    modified: new Map(),
    removed: new Map(),
    path: [],
    ignored,
  }
  compareAt(walk, type, before, after)
  return withoutFields(walk, ignored)
}

export function changed({ added, modified }: Comparison): FieldSet {
  return union(modified, added)
}

function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  if (fields.size === 0) return comparison
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  }
}

interface Walk {
  readonly added: GrowingSet
  readonly modified: GrowingSet
  readonly removed: GrowingSet
  readonly path: PathElement[]
  readonly ignored: FieldSet
}

type Maybe = Json | undefined

function compareAt(walk: Walk, type: FieldType, before: Maybe, after: Maybe): void {
  // Fields that an update did not touch are often the same object, which need not be compared.
  if (before === after) return
  // A new value need not be compared. The root itself has no path.
  if (before === undefined && after !== undefined && walk.path.length > 0) {
    insertPath(walk.added, walk.path, newFields(type, after))
    return
  }
  const was = shapeOf(type, before)
  const is = shapeOf(type, after)
  let isLeaf: boolean
  if (after === undefined) isLeaf = compareAs(walk, was, type, before, after)
  else {
    if (before !== undefined && was !== is) compareAs(walk, was, type, before, after)
    isLeaf = compareAs(walk, is, type, before, after)
  }
  if (isLeaf) return
  if (before === undefined) insertPath(walk.added, walk.path)
  else if (after === undefined) insertPath(walk.removed, walk.path)
}

/** Adds all fields below a value that did not exist before. */
function newFields(type: FieldType, value: Json): FieldSet {
  const shape = shapeOf(type, value)
  if (shape === 'map' && type.map?.atomic === false && isObject(value)) {
    const fields: GrowingSet = new Map()
    for (const name of Object.keys(value)) {
      const item = value[name]
      if (item === undefined) continue
      const children = newFields(memberType(type.map, name), item)
      fields.set(elementOf(type.map, name), { member: true, children })
    }
    return fields
  }
  if (shape === 'list' && type.list?.atomic === false && Array.isArray(value)) {
    const fields: GrowingSet = new Map()
    for (const item of value) {
      const element = listItemElement(type.list, item)
      // Items without identity are one value.
      const children = fields.has(element) ? emptySet : newFields(type.list.items, item)
      fields.set(element, { member: true, children })
    }
    return fields
  }
  return emptySet
}

/** Returns true if the value was compared as a whole. */
function compareAs(
  walk: Walk,
  shape: Shape,
  type: FieldType,
  before: Maybe,
  after: Maybe,
): boolean {
  if (shape === 'map' && type.map !== undefined && !type.map.atomic) {
    const from = isObject(before) ? before : {}
    const to = isObject(after) ? after : {}
    const names = unitedKeys(from, to)
    if (names.length > 0) {
      for (const name of names) {
        const element = elementOf(type.map, name)
        // Most often all of `spec` or `status` is ignored, which then need not be compared.
        if (walk.path.length === 0 && walk.ignored.get(element)?.member === true) continue
        compareBelow(walk, element, memberType(type.map, name), own(from, name), own(to, name))
      }
      return false
    }
  }
  if (shape === 'list' && type.list !== undefined && !type.list.atomic) {
    const from = Array.isArray(before) ? before : []
    const to = Array.isArray(after) ? after : []
    if (from.length > 0 || to.length > 0) {
      compareItems(walk, type.list, from, to)
      return false
    }
  }
  compareLeaf(walk, before, after)
  return true
}

function compareLeaf(walk: Walk, before: Maybe, after: Maybe): void {
  if (before === undefined) insertPath(walk.added, walk.path)
  else if (after === undefined) insertPath(walk.removed, walk.path)
  else if (!sameJson(before, after)) insertPath(walk.modified, walk.path)
}

function compareBelow(
  walk: Walk,
  element: PathElement,
  type: FieldType,
  before: Maybe,
  after: Maybe,
): void {
  walk.path.push(element)
  compareAt(walk, type, before, after)
  walk.path.pop()
}

function compareItems(walk: Walk, list: ListType, from: Json[], to: Json[]): void {
  const before = itemsByElement(list, from)
  const after = itemsByElement(list, to)
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const were = before.get(element) ?? []
    const are = after.get(element) ?? []
    const itemPath = [...walk.path, element]
    if (were.length <= 1 && are.length <= 1) {
      compareBelow(walk, element, list.items, were[0], are[0])
    } else if (were.length > 1 && are.length > 1) {
      // Items without identity are one value.
      if (!sameJson(were, are)) insertPath(walk.modified, itemPath)
    } else if (were.length > 1) {
      if (are.length > 0) compareBelow(walk, element, list.items, undefined, are[0])
      insertPath(walk.removed, itemPath)
    } else {
      if (were.length > 0) compareBelow(walk, element, list.items, were[0], undefined)
      insertPath(walk.added, itemPath)
    }
  }
}

function itemsByElement(list: ListType, items: Json[]): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>()
  for (const item of items) {
    const element = listItemElement(list, item)
    const same = found.get(element)
    if (same === undefined) found.set(element, [item])
    else same.push(item)
  }
  return found
}

function own(object: JsonObject, name: string): Maybe {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function unitedKeys(a: JsonObject, b: JsonObject): string[] {
  const keys = Object.keys(a)
  for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) keys.push(key)
  return keys
}
