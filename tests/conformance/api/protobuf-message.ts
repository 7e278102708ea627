/** A message as numbered fields; a list is a repeated field. */
export type Message = readonly (readonly [field: number, value: Value])[]
type Value = string | number | boolean | Uint8Array | Message

/** Encodes proto2, as far as Kubernetes objects need it. */
function encodeMessage(message: Message): Uint8Array {
  return Buffer.concat(message.map(([field, value]) => encodeField(field, value)))
}

/** Adds the envelope that the API server expects around every protobuf body. */
export function encodeObject(apiVersion: string, kind: string, message: Message): Uint8Array {
  const type: Message = [
    [1, apiVersion],
    [2, kind],
  ]
  const unknown = encodeMessage([
    [1, type],
    [2, encodeMessage(message)],
    [3, ''],
    [4, ''],
  ])
  return Buffer.concat([Buffer.from('k8s\0'), unknown])
}

/** Maps are encoded as lists of entries. */
export function entries(field: number, map: Readonly<Record<string, Value>>): Message {
  return Object.entries(map).map(([key, value]) => [
    field,
    [
      [1, key],
      [2, value],
    ] as Message,
  ])
}

function encodeField(field: number, value: Value): Uint8Array {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Buffer.concat([varint(BigInt(field * 8)), varint(BigInt(value))])
  }
  const bytes = bytesOf(value)
  return Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(bytes.length)), bytes])
}

function bytesOf(value: string | Uint8Array | Message): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value)
  return value instanceof Uint8Array ? value : encodeMessage(value)
}

// Negative numbers take ten bytes, as two's complement of 64 bits.
function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}
