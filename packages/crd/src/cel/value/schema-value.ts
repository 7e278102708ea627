import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../schema/json-value.ts'
import type { Json, Schema } from '../../schema/schema.ts'
import { withObjectMeta } from '../type/schema-type.ts'
import { listFromJson, objectFromJson } from './container.ts'
import { nanosecondsPerSecond, parseDate, parseDuration, parseTimestamp } from './time.ts'
import {
  CelError,
  type Convert,
  duration,
  type ListSchema,
  type ObjectSchema,
  type OpaqueKind,
  timestamp,
  type Value,
} from './value.ts'

/**
 * Compiles a schema into a function that converts JSON to CEL values. JSON that does not match the schema becomes an
 * error.
 */
export function compileConverter(schema: Schema): Convert {
  const convert = compileNonNull(schema)
  const whenNull: Value =
    schema.nullable === true
      ? null
      : new CelError('invalid data, got null for schema with nullable=false')
  return (json) => (json === null ? whenNull : convert(json))
}

function compileNonNull(schema: Schema): Convert {
  if (schema['x-kubernetes-int-or-string']) return convertIntOrString
  switch (schema.type) {
    case 'object':
      return compileObject(schema)
    case 'array':
      return compileArray(schema)
    case 'string':
      return compileString(schema.format)
    case 'number':
      return (json) => {
        if (typeof json === 'number') return json
        return typeof json === 'bigint' ? Number(json) : unexpected('float', json)
      }
    case 'integer':
      return (json) => {
        if (typeof json === 'bigint') return json
        return typeof json === 'number' && Number.isInteger(json)
          ? BigInt(json)
          : unexpected('int', json)
      }
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : unexpected('bool', json))
    default:
      return compileUntyped(schema)
  }
}

const preservedKind: OpaqueKind = {
  name: 'unknown',
  equal: (left, right) => sameJson(left as Json, right as Json),
}

/**
 * Compiles the conversion of fields without a type. Expressions cannot select them, but they count in comparisons of
 * their object.
 */
function compileUntyped(schema: Schema): Convert {
  if (schema['x-kubernetes-preserve-unknown-fields']) {
    return (json) => ({ kind: 'opaque', type: preservedKind, content: json })
  }
  const error = new CelError(
    'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ',
  )
  return () => error
}

function convertIntOrString(json: Json): Value {
  if (typeof json === 'string' || typeof json === 'bigint') return json
  if (typeof json === 'number' && Number.isInteger(json)) return BigInt(json)
  return new CelError('invalid data, expected XIntOrString value to be either a string or integer')
}

function compileObject(schema: Schema): Convert {
  const complete =
    schema['x-kubernetes-embedded-resource'] === true ? withObjectMeta(schema) : schema
  const { additionalProperties } = complete
  const objectSchema: ObjectSchema =
    complete.properties !== undefined
      ? {
          properties: new Map(
            Object.entries(complete.properties).map(([name, property]) => [
              name,
              compileConverter(property),
            ]),
          ),
          additional: undefined,
        }
      : {
          properties: undefined,
          additional:
            typeof additionalProperties === 'object'
              ? compileConverter(additionalProperties)
              : undefined,
        }
  return (json) =>
    isJsonObject(json)
      ? objectFromJson(json, objectSchema)
      : new CelError('invalid data, expected a map for the provided schema with type=object')
}

function compileArray(schema: Schema): Convert {
  if (schema.items === undefined) {
    return () => new CelError('invalid array type, expected Items with a non-empty Schema')
  }
  const listSchema: ListSchema = {
    convert: compileConverter(schema.items),
    type: schema['x-kubernetes-list-type'] ?? 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
  }
  return (json) =>
    Array.isArray(json)
      ? listFromJson(json, listSchema)
      : new CelError('invalid data, expected an array for the provided schema with type=array')
}

function compileString(format: string | undefined): Convert {
  const parse = format === undefined ? undefined : stringFormats.get(format)
  return (json) => {
    if (typeof json !== 'string') return unexpected('string', json)
    return parse === undefined ? json : parse(json)
  }
}

const stringFormats = new Map<string, (text: string) => Value>([
  [
    'duration',
    (text) => {
      const nanos = parseDuration(text) ?? parseSpelledOutDuration(text)
      return nanos === undefined
        ? new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
        : duration(nanos)
    },
  ],
  ['date', (text) => parseDate(text) ?? new CelError(`Invalid date formatted string ${text}`)],
  [
    'date-time',
    (text) => {
      if (text === '') return timestamp(0n)
      return parseTimestamp(text) ?? new CelError(`Invalid date-time formatted string ${text}`)
    },
  ],
  ['byte', decodeBase64],
])

/** Parses a duration such as `3 days 2 hours`, which the `duration` format allows in addition to Go's syntax. */
function parseSpelledOutDuration(text: string): bigint | undefined {
  let nanos: bigint | undefined
  for (const match of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = (match[2] ?? '').toLowerCase()
    for (const { names, prefix, scale } of spelledOutUnits) {
      if (names.includes(unit) || unit.startsWith(prefix)) {
        nanos = (nanos ?? 0n) + BigInt(match[1] ?? '0') * scale
      }
    }
  }
  return nanos
}

const spelledOutUnits: readonly { names: readonly string[]; prefix: string; scale: bigint }[] = [
  { names: ['ns'], prefix: 'nano', scale: 1n },
  { names: ['us', 'µs'], prefix: 'micro', scale: 1000n },
  { names: ['ms'], prefix: 'milli', scale: 1_000_000n },
  { names: ['s'], prefix: 'sec', scale: nanosecondsPerSecond },
  { names: ['m'], prefix: 'min', scale: 60n * nanosecondsPerSecond },
  { names: ['h', 'hr'], prefix: 'hour', scale: 3600n * nanosecondsPerSecond },
  { names: ['d'], prefix: 'day', scale: 86400n * nanosecondsPerSecond },
  { names: ['w', 'wk'], prefix: 'week', scale: 604800n * nanosecondsPerSecond },
]

/** Decodes the `byte` format as upstream does: base64 in the URL-safe alphabet, padded. */
function decodeBase64(text: string): Value {
  const plain = text.replace(/[\r\n]/g, '')
  const valid = /^[A-Za-z0-9_-]*={0,2}$/.test(plain) && plain.length % 4 === 0
  return valid
    ? Uint8Array.from(Buffer.from(plain, 'base64url'))
    : new CelError(`Invalid byte formatted string ${text}: illegal base64 data`)
}

function unexpected(expected: string, json: Json): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeName(json)}`)
}

function goTypeName(json: Json): string {
  if (Array.isArray(json)) return '[]interface {}'
  switch (typeof json) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int64'
    case 'number':
      return Number.isInteger(json) ? 'int64' : 'float64'
    default:
      return 'map[string]interface {}'
  }
}
