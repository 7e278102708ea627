import type { Json } from '@agents/crd'
import { stringifyJson } from '@agents/kube'
import type { JsonObject } from '../json/json-value.ts'
import { emptySet, type FieldNode, type FieldSet, type GrowingSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { decodeFields, type EncodedLevels, encodeFields } from './fields-v1.ts'
import type { PathElement } from './path-element.ts'
import { reconcileWithSchema } from './reconcile.ts'

/**
 * Caches field sets and their wire forms. Few managers write the objects of a kind, and they own the same fields in
 * each, so that the same few hundred sets recur.
 */
export interface KnownFieldSets {
  /** Throws SyntaxError for an invalid field set. */
  decode(fields: Json): FieldSet
  /** The result is shared by all equal sets and must not be mutated. */
  encode(set: FieldSet): JsonObject
  /** See `reconcileWithSchema`. */
  reconcile(set: FieldSet, type: FieldType): FieldSet
}

const decodedLimit = 500
const levelLimit = 2_000

export function createKnownFieldSets(): KnownFieldSets {
  const levels = createLevels()
  const byText = new SetsByText(decodedLimit)
  /** Sets by the wire form that `encode` returned, for as long as an object refers to it. */
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
      byText.keep(text, set, text.length)
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
  /** Returns the shared instance of all sets with the same members in the same order. Its subtrees are shared too. */
  unify(set: FieldSet): FieldSet
}

function createLevels(): Levels {
  const byText = new SetsByText(levelLimit)
  const unifiedSets = new WeakMap<FieldSet, Unified>([[emptySet, { id: 0, size: 0 }]])
  let last = 0
  const unify = (set: FieldSet): FieldSet => {
    if (set.size === 0) return emptySet
    if (unifiedSets.has(set)) return set
    const nodes: [PathElement, FieldNode][] = []
    let text = ''
    let below = 0
    for (const [element, node] of set) {
      const children = unify(node.children)
      const { id, size } = unifiedSets.get(children) as Unified
      const { member } = node
      nodes.push([element, children === node.children ? node : { member, children }])
      text += `${element.length}:${element}${member ? '!' : '/'}${id};`
      below += size
    }
    const known = byText.get(text)
    if (known !== undefined) return known
    const unified: GrowingSet = new Map(nodes)
    const size = text.length + below
    unifiedSets.set(unified, { id: ++last, size })
    byText.keep(text, unified, size)
    return unified
  }
  return { unify }
}

interface Unified {
  readonly id: number
  /** Characters in the texts of the set and all its subtrees. */
  readonly size: number
}

/** Larger sets are not cached: they are rare and would use much memory. */
const sizeLimit = 16 * 1024
/**
 * For the sizes of all sets in a cache. A set takes about 25 bytes for each character of its text, including its wire
 * form.
 */
const totalLimit = 1024 * 1024

interface SizedSet {
  readonly set: FieldSet
  readonly size: number
}

/** Cached sets. Evicts the oldest ones. Limits memory too, because users choose the fields of their objects. */
class SetsByText {
  readonly #countLimit: number
  readonly #sets = new Map<string, SizedSet>()
  #total = 0

  constructor(countLimit: number) {
    this.#countLimit = countLimit
  }

  get(text: string): FieldSet | undefined {
    return this.#sets.get(text)?.set
  }

  /** `size`: characters in the texts of the set and all its subtrees. */
  keep(text: string, set: FieldSet, size: number): void {
    if (size > sizeLimit) return
    this.#sets.set(text, { set, size })
    this.#total += size
    for (const [oldest, evicted] of this.#sets) {
      if (this.#sets.size <= this.#countLimit && this.#total <= totalLimit) return
      this.#sets.delete(oldest)
      this.#total -= evicted.size
    }
  }
}
