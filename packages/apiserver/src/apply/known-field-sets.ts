import type { Json } from '@agents/crd'
import type { JsonObject } from '../json/json-value.ts'
import { stringifyJson } from '../json/stringify-json.ts'
import type { FieldSet } from './field-set.ts'
import type { FieldType } from './field-type.ts'
import { decodeFields, type EncodedLevels, encodeFields } from './fields-v1.ts'
import { reconcileWithSchema } from './reconcile.ts'

/** Field sets and their wire form, each worked out once for as long as it is in use. */
export interface KnownFieldSets {
  /** Equal texts lead to the very same set. Throws SyntaxError for something that is no field set. */
  decode(fields: Json): FieldSet
  /** The answer is shared and must not be changed. */
  encode(set: FieldSet): JsonObject
  /** See `reconcileWithSchema`. */
  reconcile(set: FieldSet, type: FieldType): FieldSet
}

/** Few managers write the objects of a kind, and own the same fields in each: a few hundred sets go round. */
const decodedLimit = 500
/** Longer texts are rare, and would keep much alive. */
const textLimit = 16 * 1024

export function createKnownFieldSets(): KnownFieldSets {
  const decoded = new Map<string, FieldSet>()
  const encoded: EncodedLevels = { bare: new WeakMap(), withSelf: new WeakMap() }
  const inAccord = new WeakMap<FieldSet, FieldType>()
  return {
    decode(fields) {
      const text = stringifyJson(fields)
      const known = decoded.get(text)
      if (known !== undefined) return known
      const set = decodeFields(fields)
      if (text.length > textLimit) return set
      const [oldest] = decoded.size < decodedLimit ? [] : decoded.keys()
      if (oldest !== undefined) decoded.delete(oldest)
      decoded.set(text, set)
      return set
    },
    encode: (set) => encodeFields(set, encoded),
    reconcile(set, type) {
      if (inAccord.get(set) === type) return set
      const reconciled = reconcileWithSchema(set, type)
      inAccord.set(reconciled, type)
      return reconciled
    },
  }
}
