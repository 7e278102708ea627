const initialSize = 64 * 1024
const lengthDelimited = 2

/**
 * Writes protobuf messages from the last byte to the first, so that the length of a nested message is known when its
 * prefix is written. Callers write fields in reverse.
 */
export class MessageWriter {
  #buffer = Buffer.allocUnsafe(initialSize)
  #start = initialSize

  /** The content written so far. */
  bytes(): Buffer {
    return this.#buffer.subarray(this.#start)
  }

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value)
    this.#reserve(length)
    this.#start -= length
    this.#buffer.write(value, this.#start)
    this.#prefix(field, length)
  }

  flag(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0)
    this.#tag(field, 0)
  }

  /** Negative numbers are written as 64 bits in two's complement. */
  integer(field: number, value: bigint): void {
    let rest = BigInt.asUintN(64, value)
    const bytes: number[] = []
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    this.#reserve(bytes.length)
    this.#start -= bytes.length
    this.#buffer.set(bytes, this.#start)
    this.#tag(field, 0)
  }

  double(field: number, value: number): void {
    this.#reserve(8)
    this.#start -= 8
    this.#buffer.writeDoubleLE(value, this.#start)
    this.#tag(field, 1)
  }

  nested(field: number, write: () => void): void {
    const before = this.#buffer.length - this.#start
    write()
    this.#prefix(field, this.#buffer.length - this.#start - before)
  }

  #prefix(field: number, length: number): void {
    this.#varint(length)
    this.#tag(field, lengthDelimited)
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType)
  }

  /** For numbers below 2³¹, which bigints would slow down. */
  #varint(value: number): void {
    const size =
      value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5
    this.#reserve(size)
    this.#start -= size
    let rest = value
    for (let at = this.#start; at < this.#start + size - 1; at++) {
      this.#buffer[at] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#buffer[this.#start + size - 1] = rest
  }

  #reserve(size: number): void {
    if (size <= this.#start) return
    const used = this.#buffer.length - this.#start
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + size))
    this.#buffer.copy(larger, larger.length - used, this.#start)
    this.#start = larger.length - used
    this.#buffer = larger
  }
}
