import { isJsonObject } from '../../schema/json-value.ts'
import type { Json } from '../../schema/schema.ts'
import { listFromJson, objectFromJson } from '../value/container.ts'
import type { ListSchema, ObjectSchema, Value } from '../value/value.ts'

/**
 * Converts JSON without a schema to a CEL value: objects are maps with unescaped field names as keys, null is a value,
 * integers are int. Content is converted on first access.
 */
export function dynamicValue(json: Json): Value {
  if (Array.isArray(json)) return listFromJson(json, dynamicList)
  if (isJsonObject(json)) return objectFromJson(json, dynamicObject)
  return typeof json === 'number' && Number.isInteger(json) ? BigInt(json) : json
}

const dynamicList: ListSchema = { convert: dynamicValue, type: 'atomic', keys: [], dynamic: true }
const dynamicObject: ObjectSchema = {
  properties: undefined,
  additional: dynamicValue,
  dynamic: true,
}
