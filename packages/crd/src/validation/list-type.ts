import { duplicate, invalid } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { goJson } from '../go-json.ts'
import { isJsonObject, type JsonObject, ownValue, setOwnValue } from '../schema/json-value.ts'
import type { Json, Schema } from '../schema/schema.ts'

/** Checks the uniqueness of items in lists of type set and map. A root that is not an object is not checked. */
export function checkListTypes(schema: Schema, value: Json, field: string): FieldError[] {
  const errors: FieldError[] = []
  if (isJsonObject(value)) visitObject(schema, value, field, errors)
  return errors
}

function visit(schema: Schema, value: Json, field: string, errors: FieldError[]): void {
  if (Array.isArray(value)) visitArray(schema, value, field, errors)
  else if (isJsonObject(value)) visitObject(schema, value, field, errors)
}

function visitObject(schema: Schema, value: JsonObject, field: string, errors: FieldError[]): void {
  const additional = schema.additionalProperties
  if (typeof additional === 'object') {
    for (const [key, member] of Object.entries(value))
      visit(additional, member, `${field}[${key}]`, errors)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const member = ownValue(value, name)
    if (member !== undefined)
      visit(property, member, field === '' ? name : `${field}.${name}`, errors)
  }
}

function visitArray(schema: Schema, items: Json[], field: string, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type']
  if (listType === 'set') {
    for (const index of repeats(items)) {
      errors.push(duplicate(`${field}[${index}]`, items[index] ?? null))
    }
  } else if (listType === 'map') {
    checkMapKeys(schema['x-kubernetes-list-map-keys'] ?? [], items, field, errors)
  }
  const itemSchema = schema.items
  if (itemSchema === undefined) return
  for (const [index, item] of items.entries()) visit(itemSchema, item, `${field}[${index}]`, errors)
}

function checkMapKeys(
  keys: readonly string[],
  items: Json[],
  field: string,
  errors: FieldError[],
): void {
  const invalidItem = items.findIndex((item) => item !== null && !isJsonObject(item))
  if (invalidItem >= 0) {
    const detail = 'must be an object for an array of list-type map'
    errors.push(invalid(`${field}[${invalidItem}]`, items[invalidItem] ?? null, detail))
    return
  }
  const identities = items.map((item) => identityOf(item, keys))
  for (const index of repeats(identities)) {
    errors.push(duplicate(`${field}[${index}]`, identities[index] ?? null))
  }
}

function identityOf(item: Json, keys: readonly string[]): JsonObject {
  const identity: JsonObject = {}
  if (!isJsonObject(item)) return identity
  for (const key of keys) {
    const value = ownValue(item, key)
    if (value !== undefined) setOwnValue(identity, key, value)
  }
  return identity
}

/** The index of the second occurrence of each duplicate value. Further occurrences are not reported. */
function repeats(items: readonly Json[]): number[] {
  const seen = new Map<string, number>()
  const found: number[] = []
  for (const [index, item] of items.entries()) {
    const text = goJson(item)
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    if (times === 2) found.push(index)
  }
  return found
}
