import type { Json, Schema } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { badRequest } from '../endpoints/api-error.ts'
import { copyJson, isObject, type JsonObject, member, setMember } from '../json/json-value.ts'
import { withoutDirectives } from './directives.ts'
import { type ListMerge, mergeList, orderList } from './strategic-list.ts'

/** What the built-in types say about patching their fields, beside the rest of their schema. */
export interface PatchSchema extends Schema {
  /** `merge`, `replace`, `retainKeys`, or several with commas. */
  'x-kubernetes-patch-strategy'?: string
  'x-kubernetes-patch-merge-key'?: string
}

const setOrder = '$setElementOrder/'
const deleteFrom = '$deleteFromPrimitiveList/'

/**
 * Kubernetes' strategic merge patch: objects merge, lists merge by key where their schema says so, and `$` directives replace,
 * delete and order. A new value; the arguments stay as they are. Throws 400 for a directive that makes no sense.
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
  // A directive about what is not there has nothing to work on.
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

/** A list whose order the patch sets, before ordering; `undefined` where neither side has one. */
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

/** `$retainKeys`: a union's other members go away when one of them is set. */
function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const copy = copyJson(target) as JsonObject
  const retained = member(patch, '$retainKeys')
  if (retained === undefined) return copy
  if (!Array.isArray(retained)) throw badRequest('$retainKeys must be a list')
  for (const key of Object.keys(patch)) {
    if (!key.startsWith('$') && patch[key] !== null && !retained.includes(key)) {
      throw badRequest(`${key} in the patch is not one of its $retainKeys`)
    }
  }
  for (const key of Object.keys(copy)) if (!retained.includes(key)) delete copy[key]
  return copy
}

function deletePrimitives(result: JsonObject, name: string, values: Json): void {
  const list = member(result, name)
  if (!Array.isArray(values)) throw badRequest(`${deleteFrom}${name} must be a list`)
  if (!Array.isArray(list)) return
  setMember(
    result,
    name,
    list.filter((item) => !values.some((value) => sameJson(item, value))),
  )
}

/** Null asks for a removal; where there is nothing to remove it is dropped. Inside lists it is a value. */
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
