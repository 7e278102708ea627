/** Encodes fields of protobuf messages, for tests of the decoder. */

function base128(value: bigint): number[] {
  const encoded: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    encoded.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return encoded
}

function tag(number: number, wireType: number): number[] {
  return base128(BigInt((number << 3) | wireType))
}

export function varint(number: number, value: bigint): Buffer {
  return Buffer.from([...tag(number, 0), ...base128(value)])
}

export function bool(number: number, value: boolean): Buffer {
  return varint(number, value ? 1n : 0n)
}

export function fixed64(number: number): Buffer {
  return Buffer.from([...tag(number, 1), 1, 2, 3, 4, 5, 6, 7, 8])
}

export function fixed32(number: number): Buffer {
  return Buffer.from([...tag(number, 5), 1, 2, 3, 4])
}

export function group(number: number): Buffer {
  return Buffer.from(tag(number, 3))
}

/** Bytes, or a message within a message. */
export function bytes(number: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...tag(number, 2), ...base128(BigInt(value.length))]), value])
}

export function field(number: number, value: string): Buffer {
  return bytes(number, Buffer.from(value))
}
