import type { Json } from '@agents/crd'
import { stringifyJson } from '@agents/kube'
import type { JsonObject } from '../json/json-value.ts'
import { emptySet, type FieldNode, type FieldSet, type GrowingSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { decodeFields, type EncodedLevels, encodeFields } from './fields-v1.ts'
import type { PathElement } from './path-element.ts'
import { reconcileWithSchema } from './reconcile.ts'

/**
 * Field sets and their wire form, each worked out once: few managers write the objects of a kind, and own the same fields
 * in each, so the same few hundred sets go round.
 */
export interface KnownFieldSets {
  /** Throws SyntaxError for something that is no field set. */
  decode(fields: Json): FieldSet
  /** The answer is shared by all equal sets and must not be changed. */
  encode(set: FieldSet): JsonObject
  /** See `reconcileWithSchema`. */
  reconcile(set: FieldSet, type: FieldType): FieldSet
}

const decodedLimit = 500
const levelLimit = 2_000
/** Longer texts are rare, and would keep much alive. */
const textLimit = 16 * 1024

export function createKnownFieldSets(): KnownFieldSets {
  const levels = createLevels()
  const byText = new Map<string, FieldSet>()
  /** What was encoded here, as long as some object has it. */
  const byWireForm = new WeakMap<object, FieldSet>()
  const encoded: EncodedLevels = { bare: new WeakMap(), withSelf: new WeakMap() }
  const inAccord = new WeakMap<FieldSet, FieldType>()
  return {
    decode(fields) {
      const own = typeof fields === 'object' && fields !== null ? byWireForm.get(fields) : undefined
      if (own !== undefined) return own
      const text = stringifyJson(fields)
      const known = byText.get(text)
      if (known !== undefined) return known
      const set = levels.unify(decodeFields(fields))
      if (text.length <= textLimit) keep(byText, text, set, decodedLimit)
      return set
    },
    encode(set) {
      const unified = levels.unify(set)
      const fields = encodeFields(unified, encoded)
      byWireForm.set(fields, unified)
      return fields
    },
    reconcile(set, type) {
      if (inAccord.get(set) === type) return set
      const reconciled = levels.unify(reconcileWithSchema(set, type))
      inAccord.set(reconciled, type)
      return reconciled
    },
  }
}

interface Levels {
  /** The one set that stands for all that are equal to it and were made in the same order; so do its parts. */
  unify(set: FieldSet): FieldSet
}

function createLevels(): Levels {
  const byText = new Map<string, FieldSet>()
  const numbers = new WeakMap<FieldSet, number>([[emptySet, 0]])
  let last = 0
  const unify = (set: FieldSet): FieldSet => {
    if (set.size === 0) return emptySet
    if (numbers.has(set)) return set
    const nodes: [PathElement, FieldNode][] = []
    let text = ''
    for (const [element, node] of set) {
      const children = unify(node.children)
      const { member } = node
      nodes.push([element, children === node.children ? node : { member, children }])
      text += `${element.length}:${element}${member ? '!' : '/'}${numbers.get(children)};`
    }
    const known = byText.get(text)
    if (known !== undefined) return known
    const unified: GrowingSet = new Map(nodes)
    numbers.set(unified, ++last)
    keep(byText, text, unified, levelLimit)
    return unified
  }
  return { unify }
}

/** Makes room by forgetting the oldest. */
function keep<T>(kept: Map<string, T>, key: string, value: T, limit: number): void {
  const [oldest] = kept.size < limit ? [] : kept.keys()
  if (oldest !== undefined) kept.delete(oldest)
  kept.set(key, value)
}
