import type { Json, Schema } from '@agents/crd'
import { identityOf } from '../json/identity.ts'
import { copyJson, isObject, type JsonObject, member, setMember } from '../json/json-value.ts'
import { badRequest } from '../status/api-error.ts'
import { withoutDirectives } from './directives.ts'
import { type ListMerge, mergeList, orderList } from './strategic-list.ts'

/** A schema with the patch strategies of built-in types. */
export interface PatchSchema extends Schema {
  /** `merge`, `replace`, `retainKeys`, or a comma-separated list of them. */
  'x-kubernetes-patch-strategy'?: string
  'x-kubernetes-patch-merge-key'?: string
}

const setOrder = '$setElementOrder/'
const deleteFrom = '$deleteFromPrimitiveList/'

/**
 * Applies a strategic merge patch of Kubernetes: merges objects, merges lists by key if their schema defines one, and
 * handles `$` directives to replace, delete and order. Returns a new value and does not change its arguments. Throws a
 * 400 for an invalid directive.
 */
export function applyStrategicMergePatch(
  target: Json,
  patch: Json,
  schema: Schema | undefined,
): Json {
  if (!isObject(patch))
    throw badRequest('cannot unmarshal patch: a strategic merge patch must be an object')
  return mergeObject(isObject(target) ? target : {}, patch, schema)
}

function mergeObject(
  target: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
): JsonObject {
  const directive = member(patch, '$patch')
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge') {
    throw badRequest(`Unknown patch type found: ${String(directive)}`)
  }

  const result = retainKeys(target, patch)
  const fieldSchema = (name: string) => schemaOf(schema, name)
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(setOrder)) continue
    const name = key.slice(setOrder.length)
    const merged = mergedList(result, patch, name, fieldSchema(name))
    if (merged !== undefined) {
      setMember(
        result,
        name,
        orderList(merged, order, member(target, name), mergeKeyOf(fieldSchema(name))),
      )
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deleteFrom)) deletePrimitives(result, key.slice(deleteFrom.length), value)
    else if (!key.startsWith('$') && !Object.hasOwn(patch, `${setOrder}${key}`)) {
      mergeField(result, key, value, fieldSchema(key))
    }
  }
  return result
}

function mergeField(
  result: JsonObject,
  key: string,
  value: Json,
  schema: PatchSchema | undefined,
): void {
  const current = member(result, key)
  if (value === null) delete result[key]
  // A directive for a missing value has no effect.
  else if (current === undefined && isObject(value) && Object.hasOwn(value, '$patch')) return
  else if (current === undefined || kindOf(current) !== kindOf(value)) {
    setMember(result, key, withoutNulls(withoutDirectives(value)))
  } else if (isObject(current) && isObject(value)) {
    const replaces = strategies(schema).includes('replace')
    setMember(
      result,
      key,
      replaces ? withoutDirectives(value) : mergeObject(current, value, schema),
    )
  } else if (
    Array.isArray(current) &&
    Array.isArray(value) &&
    strategies(schema).includes('merge')
  ) {
    setMember(result, key, mergeList(current, value, listMerge(schema)))
  } else {
    setMember(result, key, withoutDirectives(value))
  }
}

/** The merged list before it is sorted by `$setElementOrder`; `undefined` if neither side has one. */
function mergedList(
  result: JsonObject,
  patch: JsonObject,
  name: string,
  schema: PatchSchema | undefined,
): Json[] | undefined {
  const current = member(result, name)
  const given = member(patch, name)
  if (given === null) {
    delete result[name]
    return undefined
  }
  const list = Array.isArray(current) ? current : undefined
  if (!Array.isArray(given)) return list
  return mergeList(list ?? [], given, listMerge(schema))
}

/** Handles `$retainKeys`, which removes the other fields of a union when one of them is set. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const copy = copyJson(target) as JsonObject
  const retained = member(patch, '$retainKeys')
  if (retained === undefined) return copy
  if (!Array.isArray(retained)) throw badRequest('$retainKeys must be a list')
  const names = new Set<Json>(retained)
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$') && patch[key] !== null && !names.has(key)) {
      throw badRequest(`${key} in the patch is not one of its $retainKeys`)
    }
  }
  for (const key of Object.keys(copy)) if (!names.has(key)) delete copy[key]
  return copy
}

function deletePrimitives(result: JsonObject, name: string, values: Json): void {
  const list = member(result, name)
  if (!Array.isArray(values)) throw badRequest(`${deleteFrom}${name} must be a list`)
  if (!Array.isArray(list)) return
  const gone = new Set(values.map(identityOf))
  setMember(
    result,
    name,
    list.filter((item) => !gone.has(identityOf(item))),
  )
}

/** Drops nulls, which mean removal, from new values. Inside lists null is a value. */
function withoutNulls(value: Json): Json {
  if (!isObject(value)) return value
  const result: JsonObject = {}
  for (const [key, each] of Object.entries(value)) {
    if (each !== null) setMember(result, key, withoutNulls(each))
  }
  return result
}

function schemaOf(schema: Schema | undefined, name: string): PatchSchema | undefined {
  const { properties, additionalProperties } = schema ?? {}
  if (properties && Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

function strategies(schema: PatchSchema | undefined): string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? []
}

function listMerge(schema: PatchSchema | undefined): ListMerge {
  return {
    key: mergeKeyOf(schema),
    mergeItem: (item, patch) => mergeObject(item, patch, schema?.items),
  }
}

function mergeKeyOf(schema: PatchSchema | undefined): string | undefined {
  return schema?.['x-kubernetes-patch-merge-key']
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'list'
  return value === null ? 'null' : typeof value
}
