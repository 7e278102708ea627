import type { Json, Schema } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'

/**
 * What a built-in object looks like before anything is set in it: upstream's are structs, and their parts that are no
 * pointers are always there. Whoever fills them in owns what is inside, not the parts.
 */
export function emptyObject(schema: Schema): JsonObject {
  const object: JsonObject = {}
  const { properties = {}, required = [] } = resolved(schema)
  for (const [name, property] of Object.entries(properties)) {
    const value = initialValue(property, required.includes(name))
    if (value !== undefined) object[name] = value
  }
  return object
}

function initialValue(property: Schema, isRequired: boolean): Json | undefined {
  const { type, properties } = resolved(property)
  const initial = property.default
  if (type === 'array') return isRequired ? null : undefined
  if (isObject(initial)) {
    const isStruct = Object.keys(initial).length === 0 && properties !== undefined
    return isStruct ? emptyObject(property) : undefined
  }
  const isZero = initial === '' || initial === 0 || initial === false
  return isZero ? initial : undefined
}

function resolved(schema: Schema): Schema {
  const [target, ...more] = schema.allOf ?? []
  if (target === undefined || more.length > 0) return schema
  const { allOf: _allOf, ...own } = schema
  return { ...resolved(target), ...own }
}
