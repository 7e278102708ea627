import type { Json } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { emptySet, type FieldNode, type FieldSet, type GrowingSet } from './field-set.ts'
import { canonicalElement, sortElements } from './path-element.ts'

/** The wire form of a field set, with its members in upstream's order. */
export function encodeFields(set: FieldSet): JsonObject {
  return encodeLevel(set, false)
}

/** Throws SyntaxError for something that is no field set. Elements of unknown kinds are skipped. */
export function decodeFields(fields: Json): FieldSet {
  return decodeNode(fields).children
}

function encodeLevel(set: FieldSet, withSelf: boolean): JsonObject {
  const out: JsonObject = withSelf ? { '.': {} } : {}
  const elements = sortElements([...set.keys()])
  for (const element of elements) {
    const { member, children } = set.get(element) as FieldNode
    out[element] = children.size === 0 ? {} : encodeLevel(children, member)
  }
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
