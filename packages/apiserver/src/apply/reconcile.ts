import { type FieldSet, recursiveDifference, setOf, union } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { fieldName, isField, type PathElement } from './path-element.ts'

/**
 * Adapts a stored set to the current schema: an owner of parts of a field that has become atomic owns all of it. Fields
 * that have become granular stay as they are. Returns the same set if nothing changes.
 */
export function reconcileWithSchema(set: FieldSet, type: FieldType): FieldSet {
  const wholes: PathElement[][] = []
  collectWholes(type, set, false, [], wholes)
  if (wholes.length === 0) return set
  const replaced = setOf(...wholes)
  return union(recursiveDifference(set, replaced), replaced)
}

function collectWholes(
  type: FieldType,
  set: FieldSet,
  isWhole: boolean,
  path: readonly PathElement[],
  wholes: PathElement[][],
): void {
  if (type.map !== undefined) {
    if (type.map.free) return
    if (!isWhole && type.map.atomic) {
      if (set.size > 0) wholes.push([...path])
      return
    }
  } else if (type.scalar !== undefined || type.list === undefined) return
  else if (!isWhole && type.list.atomic) {
    wholes.push([...path])
    return
  }
  for (const [element, { member, children }] of set) {
    const below = typeBelow(type, element)
    if (below === undefined) continue
    collectWholes(below, children, member && children.size === 0, [...path, element], wholes)
  }
}

function typeBelow({ map, list }: FieldType, element: PathElement): FieldType | undefined {
  if (map === undefined) return list?.items
  return (isField(element) ? map.fields.get(fieldName(element)) : undefined) ?? map.others
}
