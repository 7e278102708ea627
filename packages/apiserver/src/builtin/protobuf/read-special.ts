import { type WireField, wireFields } from './wire.ts'
import { bytesOf, numberOf, rawJson, textOf, time } from './wire-values.ts'

/** A message whose JSON form is not an object of its fields: a time, a quantity, a union of two types. */
interface SpecialMessage {
  /** The type of special message, as in `generated/protobuf-fields.json`. */
  readonly special: string
  readonly id: string
  readonly bytes: Uint8Array
}

/** `readNested` decodes the messages inside. */
export function readSpecial(
  { special, id, bytes }: SpecialMessage,
  readNested: (id: string, bytes: Uint8Array) => unknown,
): unknown {
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
    case 'int-or-string':
      return integerOrText(first, last(2), last(3))
    case 'raw':
      return first === undefined ? null : rawJson(bytesOf(first))
    case 'items':
      return fields.filter(({ number }) => number === 1).map((one) => textOf(bytesOf(one)))
    default:
      return readEither(id, fields, readNested)
  }
}

function integerOrText(
  kind: WireField | undefined,
  integer: WireField | undefined,
  text: WireField | undefined,
): number | string {
  const isText = kind !== undefined && numberOf(kind) !== 0n
  if (isText) return text === undefined ? '' : textOf(bytesOf(text))
  return integer === undefined ? 0 : Number(BigInt.asIntN(32, numberOf(integer)))
}

const schemaId = 'apiextensions.v1.JSONSchemaProps'

/** `JSONSchemaPropsOr…`: a schema or another type. */
function readEither(
  id: string,
  fields: readonly WireField[],
  readNested: (id: string, bytes: Uint8Array) => unknown,
): unknown {
  const of = (number: number): WireField[] => fields.filter((field) => field.number === number)
  const schemaAt = id.endsWith('OrBool') ? 2 : 1
  const [given] = of(schemaAt)
  if (given !== undefined) return readNested(schemaId, bytesOf(given))
  if (id.endsWith('OrBool')) {
    const [allowed] = of(1)
    return allowed !== undefined && numberOf(allowed) !== 0n
  }
  return of(2).map((one) =>
    id.endsWith('OrArray') ? readNested(schemaId, bytesOf(one)) : textOf(bytesOf(one)),
  )
}
