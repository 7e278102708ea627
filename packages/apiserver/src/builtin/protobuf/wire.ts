/** A field of a protobuf message: a varint or fixed-size number, or length-delimited bytes. */
export type WireField =
  | { readonly number: number; readonly value: bigint }
  | { readonly number: number; readonly bytes: Uint8Array }

/** The bytes are not a valid protobuf message. */
export class WireError extends Error {
  override name = 'WireError'
}

/** The fields of a message in wire order. */
export function* wireFields(message: Uint8Array): Generator<WireField> {
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = message[at++]
      if (byte === undefined) throw new WireError('unexpected EOF')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new WireError('proto: integer overflow')
  }
  const take = (length: number): Uint8Array => {
    if (length > message.length - at) throw new WireError('unexpected EOF')
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const tag = varint()
    const number = Number(tag >> 3n)
    if (number === 0 || number > 0x1fff_ffff) throw new WireError(`proto: illegal tag ${number}`)
    switch (Number(tag & 7n)) {
      case 0:
        yield { number, value: varint() }
        break
      case 1:
        yield { number, value: littleEndian(take(8)) }
        break
      case 2:
        yield { number, bytes: take(Number(varint())) }
        break
      case 5:
        yield { number, value: littleEndian(take(4)) }
        break
      default:
        throw new WireError(`proto: illegal wireType ${tag & 7n}`)
    }
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n
  for (let index = bytes.length - 1; index >= 0; index--) {
    value = (value << 8n) | BigInt(bytes[index] ?? 0)
  }
  return value
}
