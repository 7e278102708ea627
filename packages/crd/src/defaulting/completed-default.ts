import { cloneJson, isJsonObject, ownValue, setOwnValue } from '../schema/json-value.ts'
import { memberSchema } from '../schema/member-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'

/**
 * The default of a schema, itself defaulted by the subschemas; undefined if there is none. Nulls in it that are not
 * nullable are replaced by the default of their schema.
 */
export function completedDefault(schema: Schema): Json | undefined {
  if (schema.default === undefined || schema.default === null) return undefined
  const value = cloneJson(schema.default)
  fillIn(schema, value)
  return value
}

function fillIn(schema: Schema, value: Json): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) {
      if (item === null && items.nullable !== true) value[index] = cloneJson(items.default ?? null)
      fillIn(items, value[index] ?? null)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || property.default === null) continue
    const member = ownValue(value, name)
    if (member === undefined || (member === null && property.nullable !== true)) {
      setOwnValue(value, name, cloneJson(property.default))
    }
  }
  for (const key of Object.keys(value)) {
    const sub = memberSchema(schema, key)
    if (sub === undefined) continue
    const isAdditional = schema.properties === undefined || !Object.hasOwn(schema.properties, key)
    if (isAdditional && value[key] === null && sub.nullable !== true) {
      setOwnValue(value, key, cloneJson(sub.default ?? null))
    }
    fillIn(sub, value[key] ?? null)
  }
}
