const varintWireType = 0
const FIXED64 = 1
const lengthWireType = 2
const FIXED32 = 5

/** Writes the fields of one protobuf message. The caller omits fields with their default value. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  /** Writes a non-negative integer. */
  uint(field: number, value: number): void {
    this.#tag(field, varintWireType)
    this.#varint(BigInt(value))
  }

  int64(field: number, value: number): void {
    this.#tag(field, varintWireType)
    this.#varint(BigInt.asUintN(64, BigInt(value)))
  }

  fixed64(field: number, value: bigint): void {
    this.#tag(field, FIXED64)
    const at = this.#room(8)
    this.#bytes.writeBigUInt64LE(value, at)
  }

  fixed32(field: number, value: number): void {
    this.#tag(field, FIXED32)
    const at = this.#room(4)
    this.#bytes.writeUInt32LE(value, at)
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED64)
    const at = this.#room(8)
    this.#bytes.writeDoubleLE(value, at)
  }

  text(field: number, value: string): void {
    this.#tag(field, lengthWireType)
    const size = Buffer.byteLength(value)
    this.#varint(BigInt(size))
    const at = this.#room(size)
    this.#bytes.write(value, at)
  }

  /** Writes bytes that are given in hexadecimal. */
  hex(field: number, value: string): void {
    this.#tag(field, lengthWireType)
    this.#varint(BigInt(value.length / 2))
    const at = this.#room(value.length / 2)
    this.#bytes.write(value, at, 'hex')
  }

  message(field: number, write: (message: ProtobufWriter) => void): void {
    const inner = new ProtobufWriter()
    write(inner)
    this.#tag(field, lengthWireType)
    this.#varint(BigInt(inner.#length))
    const at = this.#room(inner.#length)
    inner.#bytes.copy(this.#bytes, at, 0, inner.#length)
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #tag(field: number, type: number): void {
    this.#varint(BigInt((field << 3) | type))
  }

  #varint(value: bigint): void {
    let rest = value
    while (rest > 127n) {
      const at = this.#room(1)
      this.#bytes.writeUInt8(Number(rest & 127n) | 128, at)
      rest >>= 7n
    }
    const at = this.#room(1)
    this.#bytes.writeUInt8(Number(rest), at)
  }

  /** Reserves bytes and returns their offset. Call it before reading `#bytes`, because it may replace the buffer. */
  #room(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, at)
      this.#bytes = larger
    }
    return at
  }
}
