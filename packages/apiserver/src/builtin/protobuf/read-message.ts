import type { Json } from '@agents/crd'
import { parseBoundedJson } from '../../json/parse-bounded-json.ts'
import type { Fields } from '../fields.ts'
import type { BuiltinTables, ProtobufField } from '../schema/tables.ts'
import { WireError, type WireField, wireFields } from './wire.ts'

/** Reads a message of `generated/protobuf-fields.json` into its JSON form. */
export type ReadMessage = (id: string, bytes: Uint8Array) => unknown

/** Schemas nest as deep as their author likes; nothing else comes close. */
const maxDepth = 200

export function createMessageReader(tables: Pick<BuiltinTables, 'protobuf'>): ReadMessage {
  const read = (id: string, bytes: Uint8Array, depth: number): unknown => {
    if (depth > maxDepth) throw new WireError('proto: message is nested too deeply')
    const special = tables.protobuf.special[id]
    const message = tables.protobuf.messages[id]
    if (message === undefined) throw new Error(`there is no protobuf message ${id}`)
    if (special !== undefined) return readSpecial(special, id, bytes, depth)
    const fields: Fields = {}
    readFields(message, bytes, fields, depth)
    return fields
  }

  const readFields = (
    message: Readonly<Record<string, ProtobufField>>,
    bytes: Uint8Array,
    fields: Fields,
    depth: number,
  ): void => {
    for (const wire of wireFields(bytes)) {
      const field = message[wire.number]
      if (field === undefined) continue
      const [name, type, mark] = field
      if (mark === 'inline') {
        const inner = tables.protobuf.messages[type] ?? {}
        readFields(inner, bytesOf(wire), fields, depth + 1)
      } else if (type.startsWith('[]')) {
        fields[name] ??= []
        const list = fields[name] as unknown[]
        list.push(readValue(type.slice(2), wire, depth))
      } else if (type.startsWith('{}')) {
        readEntry(type.slice(2), bytesOf(wire), ownMap(fields, name), depth)
      } else {
        const value = readValue(type, wire, depth)
        if (mark !== 'omit' || !isZero(value)) fields[name] = value
      }
    }
  }

  const readEntry = (type: string, bytes: Uint8Array, map: Fields, depth: number): void => {
    let key = ''
    let value: unknown
    for (const wire of wireFields(bytes)) {
      if (wire.number === 1) key = textOf(bytesOf(wire))
      if (wire.number === 2) value = readValue(type, wire, depth)
    }
    value ??= type.includes('.') ? read(type, new Uint8Array(), depth + 1) : ''
    // A key such as __proto__ must become a field like any other.
    Object.defineProperty(map, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }

  const readValue = (type: string, wire: WireField, depth: number): unknown => {
    switch (type) {
      case 'string':
        return textOf(bytesOf(wire))
      case 'bytes':
        return Buffer.from(bytesOf(wire)).toString('base64')
      case 'bool':
        return numberOf(wire) !== 0n
      case 'int32':
        return Number(BigInt.asIntN(32, numberOf(wire)))
      case 'int64':
        return integer(BigInt.asIntN(64, numberOf(wire)))
      case 'double':
        return double(numberOf(wire))
      default:
        return read(type, bytesOf(wire), depth + 1)
    }
  }

  const readSpecial = (special: string, id: string, bytes: Uint8Array, depth: number): unknown => {
    const fields = [...wireFields(bytes)]
    const last = (number: number): WireField | undefined =>
      fields.findLast((field) => field.number === number)
    const first = last(1)
    switch (special) {
      case 'time':
      case 'micro-time':
        return time(last(1), last(2), special === 'time' ? 0 : 6)
      case 'string':
        return first === undefined ? '0' : textOf(bytesOf(first))
      case 'int-or-string': {
        const kind = first === undefined ? 0n : numberOf(first)
        const integerField = last(2)
        const textField = last(3)
        if (kind !== 0n) return textField === undefined ? '' : textOf(bytesOf(textField))
        return integerField === undefined ? 0 : Number(BigInt.asIntN(32, numberOf(integerField)))
      }
      case 'raw':
        return first === undefined ? null : rawJson(bytesOf(first))
      case 'items':
        return fields.filter(({ number }) => number === 1).map((one) => textOf(bytesOf(one)))
      default:
        return readEither(id, fields, depth)
    }
  }

  /** `JSONSchemaPropsOr…`: a schema, or something else beside it. */
  const readEither = (id: string, fields: readonly WireField[], depth: number): unknown => {
    const schema = 'apiextensions.v1.JSONSchemaProps'
    const of = (number: number): WireField[] => fields.filter((field) => field.number === number)
    const schemaAt = id.endsWith('OrBool') ? 2 : 1
    const [given] = of(schemaAt)
    if (given !== undefined) return read(schema, bytesOf(given), depth + 1)
    if (id.endsWith('OrBool')) {
      const [allowed] = of(1)
      return allowed !== undefined && numberOf(allowed) !== 0n
    }
    return of(2).map((one) =>
      id.endsWith('OrArray') ? read(schema, bytesOf(one), depth + 1) : textOf(bytesOf(one)),
    )
  }

  return (id, bytes) => read(id, bytes, 0)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new WireError('proto: string field contains invalid UTF-8', { cause: error })
  }
}

function bytesOf(field: WireField): Uint8Array {
  if ('bytes' in field) return field.bytes
  throw new WireError(`proto: wrong wireType = 0 for field ${field.number}`)
}

function numberOf(field: WireField): bigint {
  if ('value' in field) return field.value
  throw new WireError(`proto: wrong wireType = 2 for field ${field.number}`)
}

function integer(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value
}

function double(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, bits)
  return view.getFloat64(0)
}

function rawJson(bytes: Uint8Array): Json {
  if (bytes.length === 0) return null
  try {
    return parseBoundedJson(textOf(bytes))
  } catch (error) {
    throw new WireError('proto: a field that holds JSON cannot be parsed', { cause: error })
  }
}

/** Seconds since 1970; none at all is no time. */
function time(
  seconds: WireField | undefined,
  nanos: WireField | undefined,
  fraction: 0 | 6,
): string | null {
  if (seconds === undefined && nanos === undefined) return null
  const whole = seconds === undefined ? 0n : BigInt.asIntN(64, numberOf(seconds))
  const part = nanos === undefined ? 0n : BigInt.asIntN(32, numberOf(nanos))
  const date = new Date(Number(whole) * 1000)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0) {
    throw new WireError('proto: time is out of range')
  }
  const text = date.toISOString().slice(0, 19)
  if (fraction === 0) return `${text}Z`
  return `${text}.${(part / 1000n).toString().padStart(6, '0')}Z`
}

function ownMap(fields: Fields, name: string): Fields {
  fields[name] ??= {}
  return fields[name] as Fields
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false
}
