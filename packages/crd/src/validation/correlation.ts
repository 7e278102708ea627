import { sameJson } from '@agents/kube'
import { isJsonObject, type JsonObject, ownValue } from '../schema/json-value.ts'
import { memberSchema } from '../schema/member-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'

/**
 * A new value with its old counterpart. Counterparts are found by name in objects and by key in lists of type map;
 * other lists have none.
 */
export interface Correlation {
  readonly value: Json
  readonly old: Json
  readonly schema: Schema
}

export function correlatedMember(
  parent: Correlation | undefined,
  key: string,
): Correlation | undefined {
  if (parent === undefined || !isJsonObject(parent.value) || !isJsonObject(parent.old))
    return undefined
  const value = ownValue(parent.value, key)
  const old = ownValue(parent.old, key)
  const schema = memberSchema(parent.schema, key)
  if (value === undefined || old === undefined || schema === undefined) return undefined
  return { value, old, schema }
}

export function correlatedItem(
  parent: Correlation | undefined,
  index: number,
): Correlation | undefined {
  if (parent === undefined || !Array.isArray(parent.value) || !Array.isArray(parent.old))
    return undefined
  const schema = parent.schema.items
  const item = parent.value[index]
  if (parent.schema['x-kubernetes-list-type'] !== 'map' || schema === undefined) return undefined
  if (!isJsonObject(item)) return undefined
  const keys = parent.schema['x-kubernetes-list-map-keys'] ?? []
  const old = parent.old.find(
    (candidate) => isJsonObject(candidate) && hasSameKeys(candidate, item, keys),
  )
  return old === undefined ? undefined : { value: item, old, schema }
}

function hasSameKeys(a: JsonObject, b: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => {
    const [left, right] = [ownValue(a, key), ownValue(b, key)]
    // An item without its key has no counterpart.
    if (left === undefined || right === undefined || typeof left === 'object') return false
    return sameJson(left, right)
  })
}

/** Whether the value is unchanged. Lists of type map may be reordered. */
export function isUnchanged({ value, old, schema }: Correlation): boolean {
  if (Array.isArray(value) && Array.isArray(old)) {
    if (schema['x-kubernetes-list-type'] !== 'map') return sameJson(value, old)
    if (value.length !== old.length) return false
    return value.every((_, index) => {
      const item = correlatedItem({ value, old, schema }, index)
      return item !== undefined && isUnchanged(item)
    })
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return sameJson(value, old)
  const keys = Object.keys(value)
  if (keys.length !== Object.keys(old).length) return false
  return keys.every((key) => {
    const member = correlatedMember({ value, old, schema }, key)
    // As in upstream, members without a schema have no counterpart, so that such an object counts as changed.
    return member !== undefined && isUnchanged(member)
  })
}
