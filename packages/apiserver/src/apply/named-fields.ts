import type { FieldSet, GrowingSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { fieldName, isField, type PathElement } from './path-element.ts'

/**
 * Adds every declared field on the way to the members of a set. A declared field is not owned itself if something below
 * it is, while a key of a free-form map is; removal needs both in the same form.
 */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const out: GrowingSet = new Map()
  for (const [element, { member, children }] of set) {
    if (children.size === 0) out.set(element, { member, children })
    else {
      const isNamed = isField(element) && type?.map?.fields.has(fieldName(element)) === true
      out.set(element, {
        member: member || isNamed,
        children: withNamedFields(children, typeBelow(type, element)),
      })
    }
  }
  return out
}

function typeBelow(type: FieldType | undefined, element: PathElement): FieldType | undefined {
  if (isField(element)) return type?.map?.fields.get(fieldName(element)) ?? type?.map?.others
  return element.startsWith('k:') ? type?.list?.items : undefined
}
