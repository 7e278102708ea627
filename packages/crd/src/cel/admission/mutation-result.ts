import { cloneJson, type JsonObject, setOwnValue } from '../../schema/json-value.ts'
import type { Json } from '../../schema/schema.ts'
import { listItem } from '../value/container.ts'
import { toText } from '../value/convert.ts'
import {
  isBoxed,
  isDuration,
  isList,
  isMap,
  isTimestamp,
  isUint,
  type List,
  typeNameOf,
  type Value,
} from '../value/value.ts'
import { jsonPatchContent, type ObjectContent, objectContent } from './patch-messages.ts'

/** One operation of a JSON patch (RFC 6902) that an expression created. It is not checked whether it can be applied. */
export interface JsonPatchOperation {
  readonly op: string
  readonly path: string
  readonly from?: string
  readonly value?: Json
}

export type Conversion<Result> = { readonly value: Result } | { readonly error: string }

/** Converts the value of `Object{…}` to the object to apply. */
export function toApplyConfiguration(value: Value): Conversion<JsonObject> {
  const content = objectContent(value)
  if (content === undefined) {
    return {
      error: `unsupported return type from ApplyConfiguration expression: ${typeNameOf(value)}`,
    }
  }
  const mismatches = nameMismatches(value, content.typeName)
  if (mismatches.length > 0) return { error: `type mismatch: ${mismatches.join('\n')}` }
  return attempt(() => nativeObject(content, ''))
}

/** Converts the value of `[JSONPatch{…}, …]` to a JSON patch. */
export function toJsonPatch(value: Value): Conversion<readonly JsonPatchOperation[]> {
  return attempt(() => {
    if (!isList(value)) {
      throw new Unconvertible('type mismatch: JSONPatchType.expression should evaluate to array')
    }
    return Array.from(value.items, (_item, index) => operationOf(listItem(value, index)))
  })
}

class Unconvertible extends Error {
  override name = 'Unconvertible'
}

function attempt<Result>(convert: () => Result): Conversion<Result> {
  try {
    return { value: convert() }
  } catch (error) {
    if (error instanceof Unconvertible) return { error: error.message }
    throw error
  }
}

/** Checks the type of a nested object, which depends on its path: `Object.spec` in `spec` of `Object`. */
function nameMismatches(value: Value, expected: string, errors: string[] = []): string[] {
  if (!isBoxed(value)) return errors
  const content = objectContent(value)
  if (content !== undefined) {
    if (content.typeName !== expected) {
      errors.push(
        `unexpected type name "${content.typeName}", expected "${expected}", which matches field name path from root Object type`,
      )
    }
    for (const [name, field] of content.fields) {
      if (isBoxed(field)) nameMismatches(field, `${expected}.${name}`, errors)
    }
  } else if (isWrittenList(value)) {
    for (let at = 0; at < value.items.length; at++) {
      nameMismatches(listItem(value, at), expected, errors)
    }
  } else if (value.kind === 'map') {
    for (const { value: item } of value.entries.values()) nameMismatches(item, expected, errors)
  }
  return errors
}

/** A list literal. Values from the request contain no constructed objects. */
function isWrittenList(value: Value): value is List {
  return isList(value) && value.source === undefined
}

function nativeObject(content: ObjectContent, path: string): JsonObject {
  const json: JsonObject = {}
  for (const [name, value] of content.fields) {
    setOwnValue(json, name, nativeField(value, `${path}.${name}`))
  }
  return json
}

/** Converts a field. It may be a list or a map, but upstream cannot convert nested ones. */
function nativeField(value: Value, path: string): Json {
  if (isWrittenList(value)) {
    const items: Json[] = []
    for (let at = 0; at < value.items.length; at++) {
      items.push(nativeItem(listItem(value, at), `${path}[${at}]`))
    }
    return items
  }
  if (!isBoxed(value) || value.kind !== 'map') return nativeItem(value, path)
  const json: JsonObject = {}
  for (const { key, value: item } of value.entries.values()) {
    if (typeof key !== 'string') throw new Unconvertible('invalid return type: *dynamic.ObjectVal')
    setOwnValue(json, key, nativeItem(item, `${path}.${key}`))
  }
  return json
}

function nativeItem(value: Value, path: string): Json {
  const content = objectContent(value)
  if (content !== undefined) return nativeObject(content, path)
  const json = plain(value)
  if (json === undefined) {
    const what = `failed to convert patch object to typed object: ${path}`
    throw new Unconvertible(`error applying patch: ${what}: unexpected ${typeNameOf(value)}`)
  }
  return json
}

/** Converts values that are the same in CEL and JSON; undefined for others. */
function plain(value: Value): Json | undefined {
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') {
    return value
  }
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : value
  if (!isBoxed(value)) return undefined
  if (value.kind === 'object') return cloneJson(value.source)
  return value.kind === 'list' && value.source !== undefined
    ? value.source.map((item) => cloneJson(item))
    : undefined
}

function operationOf(value: Value): JsonPatchOperation {
  const content = jsonPatchContent(value)
  if (content === undefined) {
    const what = 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch'
    throw new Unconvertible(`${what}, got element of ${typeNameOf(value)}`)
  }
  const { op, path, from } = content
  return {
    op,
    path,
    ...(from === '' ? {} : { from }),
    ...(content.value === undefined ? {} : { value: patchValue(content.value) }),
  }
}

function patchValue(value: Value): Json {
  const content = objectContent(value)
  if (content === undefined) return literalJson(value)
  const mismatches = nameMismatches(value, content.typeName)
  if (mismatches.length > 0) throw new Unconvertible(`type mismatch: ${mismatches.join('\n')}`)
  return nativeObject(content, '')
}

/** Converts a value to JSON as protobuf does: integers beyond 2^53, bytes, timestamps and durations become strings. */
function literalJson(value: Value): Json {
  if (value === null) return null
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (isUint(value)) return literalJson(value.value)
  if (isDuration(value) || isTimestamp(value)) return String(toText(value))
  if (isList(value)) {
    return Array.from(value.items, (_item, index) => literalJson(listItem(value, index)))
  }
  if (isMap(value) && value.kind === 'map') {
    const json: JsonObject = {}
    for (const { key, value: item } of value.entries.values()) {
      if (typeof key !== 'string') {
        throw unmarshalable(`unsupported type conversion from '${typeNameOf(key)}' to string`)
      }
      setOwnValue(json, key, literalJson(item))
    }
    return json
  }
  if (objectContent(value) !== undefined) {
    throw unmarshalable('an Object cannot be converted inside a list or a map')
  }
  const json = plain(value)
  if (json !== undefined) return json
  throw unmarshalable(`type conversion not supported for '${typeNameOf(value)}'`)
}

function unmarshalable(why: string): Unconvertible {
  return new Unconvertible(
    `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`,
  )
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
}
