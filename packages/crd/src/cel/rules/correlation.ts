import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../schema/json-value.ts'
import type { Json, Schema } from '../../schema/schema.ts'

/**
 * A value of the new object with the corresponding value of the old object. Rules that fail for an unchanged value are
 * tolerated on update.
 */
export interface Correlation {
  readonly value: Json
  readonly old: Json
  readonly schema: Schema
}

/** Finds the old counterparts of the items of a list, which exist only for lists of type map. */
interface OldItems {
  find(item: Json): Json | undefined
}

export function oldItems(schema: Schema, old: Json | undefined): OldItems {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(old)) {
    return noOldItems
  }
  let byKey: Map<string, Json> | undefined
  return {
    find: (item) => {
      byKey ??= indexByKey(old, keys)
      const key = keyOf(item, keys)
      return key === undefined ? undefined : byKey.get(key)
    },
  }
}

export function correlateKey(
  parent: Correlation | undefined,
  key: string,
): Correlation | undefined {
  if (parent === undefined || !isJsonObject(parent.value) || !isJsonObject(parent.old))
    return undefined
  if (!Object.hasOwn(parent.value, key) || !Object.hasOwn(parent.old, key)) return undefined
  const { properties, additionalProperties } = parent.schema
  const declared = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
  const schema =
    declared ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  const [value, old] = [parent.value[key], parent.old[key]]
  if (schema === undefined || value === undefined || old === undefined) return undefined
  return { value, old, schema }
}

export function correlateItem(
  parent: Correlation | undefined,
  item: Json,
  old: Json | undefined,
): Correlation | undefined {
  const items = parent?.schema.items
  if (items === undefined || old === undefined || old === null) return undefined
  return { value: item, old, schema: items }
}

/** Whether the value is unchanged. The order of a list of type map is not significant. */
export function isUnchanged(correlation: Correlation): boolean {
  const { value, old, schema } = correlation
  if (value === null || old === null) return value === old
  if (Array.isArray(value)) {
    if (!Array.isArray(old) || value.length !== old.length) return false
    if (schema['x-kubernetes-list-type'] !== 'map') return sameJson(value, old)
    const items = oldItems(schema, old)
    return value.every((item) => {
      const child = correlateItem(correlation, item, items.find(item))
      return child !== undefined && isUnchanged(child)
    })
  }
  if (isJsonObject(value)) {
    if (!isJsonObject(old)) return false
    const keys = Object.keys(value)
    if (keys.length !== Object.keys(old).length) return false
    return keys.every((key) => {
      const child = correlateKey(correlation, key)
      return child !== undefined && isUnchanged(child)
    })
  }
  return sameJson(value, old)
}

const noOldItems: OldItems = { find: () => undefined }

function indexByKey(items: readonly Json[], keys: readonly string[]): Map<string, Json> {
  const byKey = new Map<string, Json>()
  for (const item of items) {
    const key = keyOf(item, keys)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item)
  }
  return byKey
}

/** The key of an item; undefined if a key field is missing or not a scalar. */
function keyOf(item: Json, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined
  const parts: string[] = []
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined
    if (value === undefined || value === null || typeof value === 'object') return undefined
    parts.push(`${typeof value === 'bigint' ? 'number' : typeof value}:${value}`)
  }
  return parts.join('\0')
}
