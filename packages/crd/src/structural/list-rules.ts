import { appendAll } from '../append-all.ts'
import { forbidden, invalid, notSupported, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { ownValue } from '../schema/json-value.ts'
import type { Schema } from '../schema/schema.ts'
import { isUnset } from './zero.ts'

/** Checks that `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` are consistent with their schema. */
export function checkListRules(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (listType !== undefined) appendAll(errors, checkListType(schema, listType, path))
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    const field = `${path}.x-kubernetes-list-type`
    errors.push(listType === undefined ? required(field, detail) : invalid(field, listType, detail))
  }
  if (listType === 'map') appendAll(errors, checkMap(schema, keys, path))
  if (listType === 'map' || listType === 'set')
    appendAll(errors, checkNullability(schema, keys, listType, path))
  return errors
}

function checkListType(schema: Schema, listType: string, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (schema.type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified'
    errors.push(
      isUnset(schema.type)
        ? required(`${path}.type`, detail)
        : invalid(`${path}.type`, schema.type ?? '', detail),
    )
  } else if (listType === 'set' && schema.items !== undefined) {
    appendAll(errors, checkSetItems(schema.items, path))
  }
  if (!['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']))
  }
  return errors
}

/**
 * Checks that the items of a set are atomic, because they are compared as a whole. Upstream prints the list type in
 * both errors.
 */
function checkSetItems(items: Schema, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const listType = items['x-kubernetes-list-type']
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)]
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    return [invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, detail)]
  }
  return []
}

function checkMap(schema: Schema, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = []
  const keysField = `${path}.x-kubernetes-list-map-keys`
  if (keys.length === 0) {
    errors.push(required(keysField, 'must not be empty if x-kubernetes-list-type is map'))
  }
  const { items } = schema
  if (items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
    return errors
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(`${path}.items.type`, items.type ?? '', detail))
    return errors
  }
  for (const [index, key] of keys.entries()) {
    const property = ownValue(items.properties, key)
    if (property === undefined) {
      errors.push(invalid(keysField, [...keys], 'entries must all be names of item properties'))
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail))
    }
    if (keys.indexOf(key) < index) {
      errors.push(invalid(keysField, [...keys], 'must not contain duplicate entries'))
    }
  }
  return errors
}

function checkNullability(
  schema: Schema,
  keys: readonly string[],
  listType: 'map' | 'set',
  path: string,
): FieldError[] {
  const { items } = schema
  if (items === undefined) return []
  const errors: FieldError[] = []
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`
    errors.push(forbidden(`${path}.items.nullable`, detail))
  }
  if (listType === 'set') return errors
  for (const key of keys) {
    const property = ownValue(items.properties, key)
    if (property === undefined) continue
    const isRequired = items.required?.includes(key) === true
    if (!isRequired && (property.default === undefined || property.default === null)) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
      errors.push(required(`${path}.items.properties[${key}].default`, detail))
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
      errors.push(forbidden(`${path}.items.properties[${key}].nullable`, detail))
    }
  }
  return errors
}
