import type { Json } from '@agents/crd'
import { isJsonObject } from '../json/json-value.ts'

/**
 * Checks the types inside `metadata` and drops fields that ObjectMeta does not have. Returns the paths of the dropped
 * ones; throws TypeError with the message of Go's decoder when a type is wrong.
 */
export function shapeMetadata(metadata: Record<string, unknown>): string[] {
  const unknown: string[] = []
  for (const [name, value] of Object.entries(metadata)) {
    const check = fields[name]
    if (check === undefined) {
      unknown.push(`metadata.${name}`)
      delete metadata[name]
    } else if (value === null) delete metadata[name]
    else check(value as Json, name, unknown, metadata)
  }
  return unknown
}

type Check = (
  value: Json,
  name: string,
  unknown: string[],
  metadata: Record<string, unknown>,
) => void

function text(value: Json, name: string): void {
  if (typeof value !== 'string') throw wrongType(value, name, 'string')
}

function integer(value: Json, name: string): void {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) throw wrongType(value, name, 'int64')
}

function time(value: Json, name: string): void {
  if (typeof value !== 'string') throw wrongType(value, name, 'string')
  if (Number.isNaN(Date.parse(value)) || !/^\d{4}-\d\d-\d\d[Tt ]/.test(value)) {
    throw new TypeError(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`,
    )
  }
}

function textMap(
  value: Json,
  name: string,
  _unknown: string[],
  metadata: Record<string, unknown>,
): void {
  if (!isJsonObject(value)) throw wrongType(value, name, 'map[string]string')
  for (const [key, part] of Object.entries(value)) {
    // As in Go, null counts as the empty string.
    if (part === null) value[key] = ''
    else if (typeof part !== 'string') throw wrongType(part as Json, name, 'string')
  }
  if (Object.keys(value).length === 0) delete metadata[name]
}

function textList(
  value: Json,
  name: string,
  _unknown: string[],
  metadata: Record<string, unknown>,
): void {
  if (!Array.isArray(value)) throw wrongType(value, name, '[]string')
  for (const part of value) if (typeof part !== 'string') throw wrongType(part, name, 'string')
  if (value.length === 0) delete metadata[name]
}

function objectList(
  kind: string,
  known: Readonly<Record<string, 'string' | 'boolean' | 'object'>>,
): Check {
  return (value, name, unknown, metadata) => {
    if (!Array.isArray(value)) throw wrongType(value, name, `[]v1.${kind}`)
    for (const [index, item] of value.entries()) {
      if (!isJsonObject(item)) throw wrongType(item, name, `v1.${kind}`)
      for (const [field, part] of Object.entries(item)) {
        const expected = known[field]
        if (expected === undefined) {
          unknown.push(`metadata.${name}[${index}].${field}`)
          delete item[field]
        } else if (part === null) delete item[field]
        else if (typeof part !== expected) {
          throw wrongType(
            part as Json,
            `${name}.${field}`,
            expected === 'boolean' ? 'bool' : expected,
          )
        }
      }
    }
    // Kept, since an empty list of managedFields resets them.
    if (value.length === 0 && name !== 'managedFields') delete metadata[name]
  }
}

const fields: Readonly<Record<string, Check>> = {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid: text,
  resourceVersion: text,
  generation: integer,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: integer,
  labels: textMap,
  annotations: textMap,
  finalizers: textList,
  ownerReferences: objectList('OwnerReference', {
    apiVersion: 'string',
    kind: 'string',
    name: 'string',
    uid: 'string',
    controller: 'boolean',
    blockOwnerDeletion: 'boolean',
  }),
  managedFields: objectList('ManagedFieldsEntry', {
    manager: 'string',
    operation: 'string',
    apiVersion: 'string',
    time: 'string',
    fieldsType: 'string',
    fieldsV1: 'object',
    subresource: 'string',
  }),
}

function wrongType(value: Json, name: string, type: string): TypeError {
  return new TypeError(
    `json: cannot unmarshal ${jsonType(value)} into Go struct field ObjectMeta.${name} of type ${type}`,
  )
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'number'
  return typeof value
}
