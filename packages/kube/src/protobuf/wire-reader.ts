const varint = 0
const fixed64 = 1
const lengthDelimited = 2
const fixed32 = 5

/** Reads the binary encoding of protobuf. Throws RangeError if it is invalid or ends too early. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0
  #wireType = varint

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get position(): number {
    return this.#at
  }

  /** The number of the next field. The caller must then read or skip its value. */
  fieldNumber(): number {
    const tag = this.#varint32()
    this.#wireType = tag & 7
    return tag >>> 3
  }

  skip(): void {
    switch (this.#wireType) {
      case varint:
        this.#varint32()
        return
      case fixed64:
        this.#advance(8)
        return
      case lengthDelimited:
        this.#advance(this.#varint32())
        return
      case fixed32:
        this.#advance(4)
        return
      default:
        throw new RangeError(`the wire type ${this.#wireType} is unknown`)
    }
  }

  /** The end of a value with a length: a string, bytes or a message. The value begins at `position`. */
  lengthDelimitedEnd(): number {
    this.#expect(lengthDelimited)
    const length = this.#varint32()
    const end = this.#at + length
    if (end > this.#bytes.length) throw truncated()
    return end
  }

  string(): string {
    const end = this.lengthDelimitedEnd()
    const text = this.#bytes.toString('utf8', this.#at, end)
    this.#at = end
    return text
  }

  bytes(): Buffer {
    const end = this.lengthDelimitedEnd()
    const part = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return part
  }

  boolean(): boolean {
    this.#expect(varint)
    return this.#varint32() !== 0
  }

  /** An int32 or int64; a bigint if a number cannot hold it. */
  integer(): number | bigint {
    this.#expect(varint)
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte()
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high |= bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte < 0x80) return joined(low, high)
    }
    throw new RangeError('a number is too long')
  }

  /** The low 32 bits of a varint. */
  #varint32(): number {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte()
      if (shift < 32) value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw new RangeError('a number is too long')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw truncated()
    this.#at += 1
    return byte
  }

  #advance(count: number): void {
    if (this.#at + count > this.#bytes.length) throw truncated()
    this.#at += count
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) {
      throw new RangeError(`a field has the wire type ${this.#wireType} instead of ${wireType}`)
    }
  }
}

function joined(low: number, high: number): number | bigint {
  const value = high * 2 ** 32 + (low >>> 0)
  if (Number.isSafeInteger(value)) return value
  return (BigInt(high) << 32n) | BigInt(low >>> 0)
}

function truncated(): RangeError {
  return new RangeError('the message ends too early')
}
