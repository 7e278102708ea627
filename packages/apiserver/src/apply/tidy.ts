import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { copyJson, isObject, type JsonObject, setMember } from '../json/json-value.ts'
import { type FieldType, type MapType, memberType, shapeOf } from './field-type.ts'

/**
 * Copies a merged object as upstream's structs would hold it: without null fields in built-in kinds, and without empty
 * lists and maps in the metadata of any kind.
 */
export function tidied(type: FieldType, object: KubeObject, isCustom: boolean): KubeObject {
  const json = object as unknown as JsonObject
  const metadataType = type.map?.fields.get('metadata')
  const whole = (isCustom ? copyJson(json) : withoutNulls(type, json)) as JsonObject
  const { metadata } = object
  if (metadataType !== undefined) {
    whole.metadata = withoutEmpty(withoutNulls(metadataType, metadata as unknown as Json))
  }
  return whole as unknown as KubeObject
}

function withoutNulls(type: FieldType, value: Json): Json {
  const shape = shapeOf(type, value)
  if (shape === 'map' && type.map !== undefined && isObject(value)) {
    return membersWithoutNulls(type.map, value)
  }
  if (shape === 'list' && type.list !== undefined && Array.isArray(value)) {
    const { items } = type.list
    return value.map((item) => withoutNulls(items, item))
  }
  return value
}

function membersWithoutNulls(map: MapType, value: JsonObject): JsonObject {
  const out: JsonObject = {}
  for (const name of Object.keys(value)) {
    const item = value[name] ?? null
    const type = memberType(map, name)
    // Null is an ordinary value in free-form fields.
    const isFree = type.scalar !== undefined && type.map !== undefined
    if (item === null && !isFree) continue
    setMember(out, name, isFree ? copyJson(item) : withoutNulls(type, item))
  }
  return out
}

function withoutEmpty(metadata: Json): Json {
  if (!isObject(metadata)) return {}
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value)))
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) ? Object.keys(value).length === 0 : value === ''
}
