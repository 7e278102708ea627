import type { Json } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { emptySet, type FieldNode, type FieldSet, type GrowingSet } from './field-set.ts'
import { canonicalElement, sortElements } from './path-element.ts'

/** Cached wire forms by level of the tree. A field set shares most levels with the set that it was made from. */
export interface EncodedLevels {
  readonly bare: WeakMap<FieldSet, JsonObject>
  /** For nodes whose own path is in the set. */
  readonly withSelf: WeakMap<FieldSet, JsonObject>
}

/** Encodes a field set, with its members in upstream's order. The result may share parts with those in `known`. */
export function encodeFields(
  set: FieldSet,
  known: EncodedLevels = { bare: new WeakMap(), withSelf: new WeakMap() },
): JsonObject {
  return encodeLevel(set, false, known)
}

/** Decodes a field set. Skips elements of unknown kinds. Throws SyntaxError for an invalid field set. */
export function decodeFields(fields: Json): FieldSet {
  return decodeNode(fields).children
}

function encodeLevel(set: FieldSet, withSelf: boolean, known: EncodedLevels): JsonObject {
  const levels = withSelf ? known.withSelf : known.bare
  const found = levels.get(set)
  if (found !== undefined) return found
  const out: JsonObject = withSelf ? { '.': {} } : {}
  for (const element of sortElements([...set.keys()])) {
    const { member, children } = set.get(element) as FieldNode
    out[element] = children.size === 0 ? {} : encodeLevel(children, member, known)
  }
  levels.set(set, out)
  return out
}

function decodeNode(fields: Json): FieldNode {
  if (fields !== null && !isObject(fields)) throw new SyntaxError('expected an object')
  const children: GrowingSet = new Map()
  let member = false
  for (const [key, below] of Object.entries(fields ?? {})) {
    if (key === '.') {
      member = true
      continue
    }
    const element = canonicalElement(key)
    if (element === undefined) continue
    const node = decodeNode(below)
    const known = children.get(element)
    children.set(element, {
      member: node.member || known?.member === true,
      children: node.children.size > 0 ? node.children : (known?.children ?? emptySet),
    })
  }
  return { member: member || children.size === 0, children }
}
