import { setMember } from '../../json/json-value.ts'
import { maxValues } from '../../request/body-weight.ts'
import { requestTooLarge } from '../../status/api-error.ts'
import type { Fields } from '../fields.ts'
import type { BuiltinTables, ProtobufField } from '../schema/tables.ts'
import { readSpecial } from './read-special.ts'
import { WireError, type WireField, wireFields } from './wire.ts'
import { bytesOf, double, integer, numberOf, textOf } from './wire-values.ts'

/** Reads a message of `generated/protobuf-fields.json` into its JSON form. */
type ReadMessage = (id: string, bytes: Uint8Array) => unknown

/** Only schemas of custom resources come close to this depth. */
const maxDepth = 200

/** Above the limit of values: an entry of a map is a message of two fields, and unknown fields count too. */
const maxFields = 3 * maxValues

export function createMessageReader(tables: Pick<BuiltinTables, 'protobuf'>): ReadMessage {
  let read = 0
  const fieldsOf = function* (bytes: Uint8Array): Generator<WireField> {
    for (const field of wireFields(bytes)) {
      if (++read > maxFields) throw requestTooLarge(`the body has more than ${maxFields} fields`)
      yield field
    }
  }

  const readOne = (id: string, bytes: Uint8Array, depth: number): unknown => {
    if (depth > maxDepth) throw new WireError('proto: message is nested too deeply')
    const special = tables.protobuf.special[id]
    const message = tables.protobuf.messages[id]
    if (message === undefined) throw new Error(`unknown protobuf message ${id}`)
    if (special !== undefined) {
      return readSpecial({ special, id, bytes }, (inner, part) => readOne(inner, part, depth + 1))
    }
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
    for (const wire of fieldsOf(bytes)) {
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
    for (const wire of fieldsOf(bytes)) {
      if (wire.number === 1) key = textOf(bytesOf(wire))
      if (wire.number === 2) value = readValue(type, wire, depth)
    }
    value ??= type.includes('.') ? readOne(type, new Uint8Array(), depth + 1) : ''
    setMember(map, key, value)
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
        return readOne(type, bytesOf(wire), depth + 1)
    }
  }

  return (id, bytes) => {
    read = 0
    return readOne(id, bytes, 0)
  }
}

function ownMap(fields: Fields, name: string): Fields {
  fields[name] ??= {}
  return fields[name] as Fields
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false
}
